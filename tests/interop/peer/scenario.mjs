import assert from "node:assert/strict";
import { once } from "node:events";
import { createAgent } from "./agent.mjs";
import { createClient } from "./client.mjs";
import { openWire } from "./wire.mjs";
import { CWD, KEYS, MCP_SERVER, SHARED, TERMINAL, TEXT, TOOL, base64, text } from "./world.mjs";

const ROOTS = { cwd: CWD, additionalDirectories: [SHARED] };
const ACP_SERVER = { type: "acp", ...MCP_SERVER };

const MCP_SERVERS = [
  { type: "stdio", name: "files", command: "/opt/acme/files", args: ["--ro"], env: [{ name: "LANG", value: "C" }] },
  { type: "http", name: "docs", url: "https://docs.example/mcp", headers: [{ name: "X-Team", value: "shop" }] },
  ACP_SERVER,
];

const RICH_PROMPT = [
  text(TEXT.review),
  { type: "image", data: base64("\x89PNG"), mimeType: "image/png", uri: null },
  { type: "audio", data: base64("RIFF"), mimeType: "audio/wav" },
  {
    type: "resource_link",
    name: "cart.ts",
    uri: `file://${CWD}/src/cart.ts`,
    title: "Cart",
    mimeType: "text/typescript",
    size: 2_048,
    icons: [{ src: "https://icons.example/ts.svg", sizes: ["any"], theme: "dark" }],
    annotations: { audience: ["assistant"], priority: 0.8, lastModified: "2026-01-14T18:30:00+01:00" },
  },
  { type: "resource", resource: { uri: "memo:1", text: 'line\n"quoted"\ttab \u2028 end', mimeType: "text/plain" } },
  { type: "resource", resource: { uri: "memo:2", blob: base64("\0\u0001") } },
];

const INITIALIZE = {
  protocolVersion: 2,
  info: { name: "acme-editor", title: "Acme Editor", version: "1.0.0" },
  capabilities: { auth: { terminal: {} }, elicitation: { form: {}, url: {} } },
};

/** One connection of the editor to the agent. */
class Editor {
  #connection;
  #wire;

  constructor(agentApp, transcript, number) {
    const { app, updates, questions } = createClient();
    this.#wire = openWire(transcript, number);
    agentApp.connect(this.#wire.agent);
    this.#connection = app.connect(this.#wire.client);
    Object.assign(this, { updates, questions });
  }

  request(method, params, options) {
    return this.#connection.agent.request(method, params, options);
  }

  notify(method, params) {
    return this.#connection.agent.notify(method, params);
  }

  refused(code, method, params) {
    return assert.rejects(this.request(method, params), { code });
  }

  prompt(sessionId, blocks, idempotencyKey, options) {
    const prompt = typeof blocks === "string" ? [text(blocks)] : blocks;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    return this.request("session/prompt", { sessionId, ...key, prompt }, options);
  }

  async disconnect() {
    this.#connection.close();
    await this.#wire.cut();
  }
}

async function signIn(editor) {
  await editor.request("initialize", INITIALIZE);
  await editor.request("auth/status", {});
  await editor.refused(-32000, "session/new", ROOTS);
  await editor.request("auth/login", { methodId: "acme-login" });
  await editor.request("auth/status", {});
}

async function chooseProvider(editor) {
  const choice = { providerId: "main", apiType: "bedrock", baseUrl: "https://models.example/v1" };
  await editor.request("providers/list", {});
  await editor.request("providers/set", { ...choice, headers: { "X-Team": "shop" } });
  await editor.request("providers/list", {});
  await editor.request("providers/disable", { providerId: "main" });
}

async function openSession(editor) {
  const systemPrompt = { mode: "append", content: [text("Answer briefly.")] };
  const params = { ...ROOTS, mcpServers: MCP_SERVERS, systemPrompt };
  const { sessionId } = await editor.request("session/new", params);
  return sessionId;
}

async function promptAndRetry(editor, sessionId) {
  const first = await editor.prompt(sessionId, RICH_PROMPT, KEYS.review);
  await editor.updates.idle();
  const again = await editor.prompt(sessionId, RICH_PROMPT, KEYS.review);
  assert.equal(again.messageId, first.messageId);
  return first.messageId;
}

async function configure(editor, sessionId) {
  const option = { sessionId, configId: "mode", type: "id", value: "code" };
  await editor.request("session/set_config_option", option);
  await editor.request("session/set_config_option", { ...option, configId: "verbose", type: "boolean", value: false });
  await editor.request("session/set_title", { sessionId, title: "Checkout " });
  await editor.request("session/status", { sessionId });
}

/** Stops a tool call, a terminal, a permission request and a held prompt. */
async function cancelWork(editor, sessionId) {
  const toolCall = { sessionId, toolCallId: TOOL.suite };
  const terminal = { sessionId, terminalId: TERMINAL.suite };
  const asked = once(editor.questions, "Run the rest?");
  await editor.prompt(sessionId, TEXT.longJob, null);
  await editor.updates.until({ terminalId: TERMINAL.suite });
  await editor.request("tool_call/cancel", toolCall);
  await editor.updates.until({ status: "cancelled" });
  await editor.request("terminal/cancel", terminal);
  await asked;
  const held = editor.prompt(sessionId, TEXT.rebuild, KEYS.rebuild);
  await editor.notify("session/cancel", { sessionId });
  await assert.rejects(held, { code: -32800 });
  await editor.updates.idle();
  await editor.refused(-32602, "terminal/cancel", terminal);
}

/** One cancelled attempt withdraws the held prompt and ends every attempt with its key. */
async function withdrawHeld(editor, sessionId) {
  const abort = new AbortController();
  const first = editor.prompt(sessionId, TEXT.held, KEYS.held);
  const second = editor.prompt(sessionId, TEXT.held, KEYS.held, { cancellationSignal: abort.signal });
  // Lets the request be written before its cancellation.
  await new Promise(setImmediate);
  abort.abort();
  await assert.rejects(first, { code: -32800 });
  await assert.rejects(second, { code: -32800 });
}

async function holdPrompts(editor, sessionId) {
  await editor.prompt(sessionId, TEXT.rebuild, KEYS.rebuild);
  await editor.updates.until({ state: "running" });
  await withdrawHeld(editor, sessionId);
  const held = editor.prompt(sessionId, TEXT.held, KEYS.held);
  const retried = editor.prompt(sessionId, TEXT.held, KEYS.held);
  await editor.notify("_acme/release", { sessionId });
  assert.deepEqual(await held, await retried);
  await editor.updates.idle();
  await editor.updates.idle();
}

async function extend(editor, sessionId) {
  await editor.request("_acme/echo", { sessionId, list: [null, true, 1e21, "", {}] });
  await editor.refused(-32601, "_acme/unknown");
  await editor.refused(-32002, "session/status", { sessionId: "sess-none" });
}

/** Sends what a strict peer refuses. */
async function provoke(editor, sessionId) {
  await editor.refused(-32602, "session/set_title", { sessionId, title: 5 });
  await editor.refused(-32602, "session/prompt", { sessionId, idempotencyKey: "", prompt: [text("No.")] });
}

async function forkAndShelve(editor, source, sourceMessage) {
  const { sessionId } = await editor.request("session/fork", { sessionId: source, ...ROOTS, mcpServers: [ACP_SERVER] });
  const { messageId } = await editor.prompt(sessionId, TEXT.failing, KEYS.review);
  assert.notEqual(messageId, sourceMessage);
  await editor.updates.until({ stopReason: "error" });
  await editor.request("session/list", { cwd: CWD });
  await editor.request("session/list", { cwd: CWD, cursor: "1", archived: "include" });
  await editor.request("session/close", { sessionId });
  await editor.request("session/close", { sessionId });
  await editor.request("session/status", { sessionId });
  await editor.request("session/archive", { sessionId });
  await editor.request("session/list", { archived: "only" });
  await editor.request("session/unarchive", { sessionId });
  await editor.request("session/delete", { sessionId });
  await editor.request("session/delete", { sessionId });
}

/** Leaves a prompt inserted and unanswered. */
async function loseAnswer(editor, sessionId) {
  editor.prompt(sessionId, TEXT.deploy, KEYS.deploy).catch(() => {});
  const { messageId } = await editor.updates.until({ sessionUpdate: "user_message" });
  await editor.updates.until({ state: "running" });
  await editor.disconnect();
  return messageId;
}

async function firstConnection(editor) {
  await signIn(editor);
  await chooseProvider(editor);
  const sessionId = await openSession(editor);
  const reviewed = await promptAndRetry(editor, sessionId);
  await configure(editor, sessionId);
  await cancelWork(editor, sessionId);
  await holdPrompts(editor, sessionId);
  await extend(editor, sessionId);
  await forkAndShelve(editor, sessionId, reviewed);
  const deployed = await loseAnswer(editor, sessionId);
  return { sessionId, reviewed, deployed };
}

async function secondConnection(editor, { sessionId, reviewed, deployed }) {
  await editor.request("initialize", INITIALIZE);
  await editor.request("initialize", { ...INITIALIZE, _meta: { "acme.dev/attempt": 2 } });
  await editor.refused(-32002, "session/prompt", { sessionId, prompt: [text(TEXT.deploy)] });
  const resume = { sessionId, ...ROOTS, mcpServers: [ACP_SERVER] };
  await editor.request("session/resume", { ...resume, replayFrom: { type: "start" } });
  await editor.request("session/resume", resume);
  assert.equal((await editor.prompt(sessionId, TEXT.deploy, KEYS.deploy)).messageId, deployed);
  assert.equal((await editor.prompt(sessionId, RICH_PROMPT, KEYS.review)).messageId, reviewed);
  await editor.request("session/close", { sessionId });
  await editor.request("session/delete", { sessionId });
  await editor.request("auth/logout", {});
  await editor.disconnect();
}

/** Drives the faulty messages; fails where the peer accepts one. */
export async function playFaults(transcript) {
  const editor = new Editor(createAgent(), transcript, 1);
  await signIn(editor);
  await provoke(editor, await openSession(editor));
  await editor.disconnect();
}

/** Drives the whole story; fails where the peer does not answer as told. */
export async function play(transcript) {
  const agentApp = createAgent();
  const story = await firstConnection(new Editor(agentApp, transcript, 1));
  await secondConnection(new Editor(agentApp, transcript, 2), story);
}
