// Reads a line for each value from standard input, and prints what the compiled modules in a folder
// make of it: see full_values.py.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { Fault, faults, is, parse, read } = await import(pathToFileURL(process.argv[2]).href);

const attempt = (reader, type, value) => {
  try {
    return { read: reader(type, value) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { pointer: error.pointer };
  }
};

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { type, value } = JSON.parse(line);
  const strict = is(type, value);
  const tolerant = attempt(read, type, value);
  const parsed = attempt(parse, type, value);
  const found = faults(type, value).map(({ rule, pointer, severity }) => [rule, pointer, severity]);
  const steady =
    JSON.stringify(value) === JSON.stringify(JSON.parse(line).value) &&
    "read" in parsed === strict &&
    (!strict || (parsed.read === value && tolerant.read === value)) &&
    (!("read" in tolerant) || JSON.stringify(read(type, tolerant.read)) === JSON.stringify(tolerant.read));
  console.log(JSON.stringify({ strict, found, steady, ...tolerant }));
}
