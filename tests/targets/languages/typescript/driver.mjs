// Prints the table of a compiled module, then what it says of every message on standard input, then
// the message IDs that it derives, empty where it refuses to.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { METHODS, deriveMessageId, find, resend, retryClass } = await import(pathToFileURL(process.argv[2]).href);
const records = [];
for (const row of METHODS) {
  records.push([...Object.values(row).map((field) => (Array.isArray(field) ? field.join(" ") : field)), retryClass(row.name, row.kind), find(row.name).kind]);
}
const { messages, pairs } = JSON.parse(readFileSync(0, "utf8"));
for (const { method, params, kind, version } of messages) {
  const { answer, reason, method: row, why } = resend(method, params, kind, version);
  records.push([answer, reason, row?.name, row?.retryClass, why]);
}
for (const { sessionId, key } of pairs) {
  try {
    records.push([deriveMessageId(sessionId, key)]);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    records.push([""]);
  }
}
for (const record of records) {
  process.stdout.write(`${record.map((field) => field ?? "").join("\x1f")}\x1e`);
}
