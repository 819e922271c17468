import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";

const SCHEMA = "@agentclientprotocol/sdk/schema/v2/schema.unstable.json";
const OTHER_SIDE = { agent: "client", client: "agent" };

const source = process.argv[2] ?? new URL("session.ndjson", import.meta.url);

async function readTranscript() {
  const lines = (await readFile(source, "utf8")).trimEnd().split("\n");
  return lines.map((line) => ({ connection: 1, ...JSON.parse(line) }));
}

/** Maps "side method Kind" to a validator; side is the one that handles the method. */
async function loadValidators() {
  const schema = JSON.parse(await readFile(new URL(import.meta.resolve(SCHEMA)), "utf8"));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(schema, "acp");
  const compile = (name) => ajv.compile({ $ref: `acp#/$defs/${name}` });
  const bound = Object.entries(schema.$defs).filter(([, definition]) => definition["x-method"]);
  const entries = bound.map(([name, { "x-side": side, "x-method": method }]) => {
    const [kind] = name.match(/(Request|Response|Notification)$/);
    return [`${side} ${method} ${kind}`, compile(name)];
  });
  return new Map([...entries, ["Error", compile("Error")]]);
}

function handlerOf({ from, message }) {
  return message.method.startsWith("$/") ? "protocol" : OTHER_SIDE[from];
}

/** What a message is, the payload to check and the validator's name. */
function classify(entry, asked) {
  const { from, connection, message } = entry;
  if (message.method) {
    const kind = "id" in message ? "Request" : "Notification";
    if (kind === "Request") asked.set(`${connection} ${from} ${message.id}`, entry);
    return {
      method: message.method,
      kind,
      payload: message.params,
      name: `${handlerOf(entry)} ${message.method} ${kind}`,
    };
  }
  const request = asked.get(`${connection} ${OTHER_SIDE[from]} ${message.id}`);
  const { method } = request.message;
  if (message.error) {
    request.refused = message.error.code === -32602;
    return { method, kind: `error ${message.error.code}`, payload: message.error, name: "Error" };
  }
  return { method, kind: "Response", payload: message.result, name: `${from} ${method} Response` };
}

function faultOf({ method, name, payload }, validators) {
  if (method.startsWith("_")) return null;
  const validate = validators.get(name);
  if (!validate) return "not in the schema";
  return validate(payload) ? null : validate.errors.map((e) => `${e.instancePath} ${e.message}`).join("; ");
}

const validators = await loadValidators();
const asked = new Map();
const checked = (await readTranscript()).map((entry) => ({ entry, ...classify(entry, asked) }));

const counts = new Map();
let faults = 0;
for (const [index, item] of checked.entries()) {
  const label = `${item.entry.from} → ${OTHER_SIDE[item.entry.from]}  ${item.method}  ${item.kind}`;
  counts.set(label, (counts.get(label) ?? 0) + 1);
  const fault = faultOf(item, validators);
  // What the agent refused as invalid is meant to be invalid.
  if (!fault || item.entry.refused) continue;
  console.error(`line ${index + 1}: ${label}: ${fault}`);
  faults += 1;
}
for (const [label, count] of [...counts].sort()) console.log(`${String(count).padStart(4)}  ${label}`);
process.exitCode = faults ? 1 : 0;
