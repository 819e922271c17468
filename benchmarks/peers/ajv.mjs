// Ajv by the whole bundle: `node ajv.mjs FILE` reads a message a line and prints how many it refuses.
import { createReadStream, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const interop = new URL("../../tests/interop/", import.meta.url);
const Ajv = createRequire(interop)("ajv/dist/2020").default;
const bundle = new URL("../../generated/schema/acp-v2.unstable.schema.json", import.meta.url);
const ajv = new Ajv({ strict: false, validateFormats: false });
const check = ajv.compile(JSON.parse(readFileSync(bundle, "utf8")));

let refused = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  try {
    refused += !check(JSON.parse(line));
  } catch {
    refused += 1;
  }
}
console.log(refused);
