// Prints what Zod schemas say about values: {module, values: [{type, value}]} on stdin, a list of
// "accepted", "changed", "refused" or "missing" on stdout.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const { module, names, values } = JSON.parse(readFileSync(0, "utf8"));
const made = await import(module);

function verdict(type, value) {
  const schema = names.map((name) => made[name.replace("*", type)]).find(Boolean);
  if (schema === undefined) return "missing";
  let parsed;
  try {
    parsed = schema.safeParse(value);
  } catch {
    return "refused";
  }
  if (!parsed.success) return "refused";
  return isDeepStrictEqual(parsed.data, value) ? "accepted" : "changed";
}

console.log(JSON.stringify(values.map(({ type, value }) => verdict(type, value))));
