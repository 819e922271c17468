// Prints the indices of the values that Ajv refuses, of {schema, asked: [{index, entry, value}]} on stdin.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const interop = new URL("../interop/", import.meta.url);
const Ajv = createRequire(interop)("ajv/dist/2020").default;
const { schema, asked } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");
const known = new Map();

function check(entry) {
  const reference = entry === null ? "acp" : `acp#/$defs/${entry}`;
  if (!known.has(entry)) known.set(entry, ajv.compile({ $ref: reference }));
  return known.get(entry);
}

const refused = asked.filter(({ entry, value }) => !check(entry)(value)).map(({ index }) => index);
console.log(JSON.stringify([...new Set(refused)]));
