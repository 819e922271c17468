// Prints the table of a compiled module, then what it says of every vector on standard input.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { METHODS, find, resend, retryClass } = await import(pathToFileURL(process.argv[2]).href);
const records = [];
for (const row of METHODS) {
  records.push([...Object.values(row), retryClass(row.name, row.kind), find(row.name).kind]);
}
for (const { method, params, kind } of JSON.parse(readFileSync(0, "utf8"))) {
  const { answer, reason, method: row, why } = resend(method, params, kind);
  records.push([answer, reason, row?.name, row?.retryClass, why]);
}
for (const record of records) {
  process.stdout.write(`${record.map((field) => field ?? "").join("\x1f")}\x1e`);
}
