// An agent on the official TypeScript SDK, for the kit to judge: `node peer.mjs FILE [--keys]`.
// FILE keeps its sessions. Without --keys it answers prompts as the SDK hands them over, which is
// without their key; with it, it takes them from the fallback, which sees what was sent.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { RequestError, agent, ndJsonStream } from "../interop/node_modules/@agentclientprotocol/sdk/dist/v2/unstable/acp.js";

const [file, flag] = process.argv.slice(2);
const world = load();
const pending = new Map();

function load() {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** Key and message are stored in one step: a rename. */
function store() {
  writeFileSync(`${file}.new`, JSON.stringify(world));
  renameSync(`${file}.new`, file);
}

function find(sessionId) {
  if (!(sessionId in world)) throw RequestError.sessionNotFound(sessionId);
  return world[sessionId];
}

function checkKey(key) {
  const length = typeof key === "string" ? [...key].length : 0;
  if (key != null && (length < 1 || length > 255)) throw RequestError.invalidParams({ path: "idempotencyKey" });
}

const holdFor = (prompt) => Number(/^acp-conformance: hold (\d+)ms/.exec(prompt[0].text)?.[1] ?? 0);
const asIs = (params) => params;

async function show(client, sessionId, { messageId, content }) {
  await client.notify("session/update", { sessionId, update: { sessionUpdate: "user_message", messageId, content } });
}

/** Inserts a prompt once it need not be held any more. */
function claim({ sessionId, prompt, idempotencyKey: key }, client) {
  const held = { sessionId, key };
  held.answer = new Promise((resolve, reject) => {
    const end = (settle, value) => {
      clearTimeout(held.timer);
      pending.delete(held);
      settle(value);
    };
    held.withdraw = () => end(reject, RequestError.requestCancelled());
    held.timer = setTimeout(() => {
      const message = { messageId: randomUUID(), content: prompt, key };
      find(sessionId).push(message);
      store();
      void show(client, sessionId, message);
      end(resolve, { messageId: message.messageId });
    }, holdFor(prompt));
  });
  pending.set(held, held);
  return held;
}

function answer({ params, client, signal }) {
  const { sessionId, prompt, idempotencyKey: key } = params;
  if (!Array.isArray(prompt)) throw RequestError.invalidParams({ path: "prompt" });
  checkKey(key);
  const known = (entry) => key != null && entry.key === key;
  const message = find(sessionId).find(known);
  if (message) return { messageId: message.messageId };
  const held = [...pending.keys()].find((each) => each.sessionId === sessionId && known(each));
  const submission = held ?? claim(params, client);
  signal.addEventListener("abort", () => submission.withdraw(), { once: true });
  return submission.answer;
}

function withdraw(sessionId) {
  for (const held of [...pending.keys()]) if (held.sessionId === sessionId) held.withdraw();
}

const app = agent({ name: "typescript-peer" })
  .onRequest("initialize", () => ({
    protocolVersion: 2,
    info: { name: "typescript-peer", version: "1.0.0" },
    capabilities: { session: { delete: {} } },
  }))
  .onRequest("session/new", () => {
    const sessionId = randomUUID();
    world[sessionId] = [];
    store();
    return { sessionId };
  })
  .onRequest("session/resume", async ({ params, client }) => {
    const messages = find(params.sessionId);
    const { sessionId, replayFrom } = params;
    if (replayFrom && replayFrom.type !== "start") throw RequestError.invalidParams({ path: "replayFrom" });
    if (replayFrom) for (const message of messages) await show(client, sessionId, message);
    await client.notify("session/update", { sessionId, update: { sessionUpdate: "state_update", state: "idle" } });
    return {};
  })
  .onRequest("session/list", () => ({ sessions: Object.keys(world).map((sessionId) => ({ sessionId, cwd: "/" })) }))
  .onRequest("session/close", ({ params }) => withdraw(params.sessionId))
  .onRequest("session/delete", ({ params }) => {
    delete world[params.sessionId];
    store();
  })
  .onNotification("session/cancel", ({ params }) => withdraw(params.sessionId));

if (flag === "--keys") {
  app.onRequest("*", (context) => {
    if (context.method !== "session/prompt") throw RequestError.methodNotFound(context.method);
    return answer(context);
  });
} else {
  app.onRequest("session/prompt", answer);
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
