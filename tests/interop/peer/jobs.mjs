import { once } from "node:events";
import { McpOverAcpCaller } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import * as story from "./updates.mjs";
import { CWD, MCP_SERVER, TERMINAL, TEXT, TOOL, text } from "./world.mjs";

export const mcp = new McpOverAcpCaller({ clientInfo: { name: "acme-agent", version: "1.0.0" } });

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
  { optionId: "never", name: "Never allow", kind: "reject_always" },
];

const FORM = {
  type: "object",
  title: "Test order",
  description: "Used for this run only.",
  properties: {
    email: { type: "string", title: "E-mail", format: "email", maxLength: 80 },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large", description: "Over 10 items" },
      ],
      default: "s",
    },
    discount: { type: "number", minimum: 0, maximum: 0.5 },
    items: { type: "integer", minimum: 1, default: 3 },
    gift: { type: "boolean", default: false },
    colours: { type: "array", minItems: 1, items: { type: "string", enum: ["red", "blue"] } },
    extras: { type: "array", items: { anyOf: [{ const: "card", title: "Card" }] }, default: ["card"] },
  },
  required: ["email", "items"],
};

function askPermission(session, params, options) {
  return session.client.request(
    "session/request_permission",
    { sessionId: session.id, options: OPTIONS, ...params },
    options,
  );
}

async function askAboutEdit(session) {
  await session.enter({ state: "requires_action" });
  await askPermission(session, {
    title: "Edit cart.ts?",
    description: "Replaces the rounding.",
    subject: { type: "tool_call", toolCall: story.editing },
  });
  await askPermission(session, {
    title: "Run the build?",
    subject: { type: "command", command: "npm run build", cwd: CWD, terminalId: TERMINAL.build },
  });
  await session.enter({ state: "running" });
  await session.update(story.edited);
}

async function askTheUser(session) {
  const ask = (params) => session.client.request("elicitation/create", { sessionId: session.id, ...params });
  await ask({ mode: "form", message: "Which order?", toolCallId: TOOL.edit, requestedSchema: FORM });
  const requestedSchema = { type: "object", properties: {} };
  await ask({ mode: "form", message: "Anything else?", requestedSchema });
  await ask({ mode: "form", message: "Save these answers?", requestedSchema });
  const elicitationId = "elicit-pay";
  await ask({ mode: "url", message: "Confirm the payment.", elicitationId, url: "https://pay.example/confirm?id=1" });
  await session.client.notify("elicitation/complete", { elicitationId });
}

async function callTools(session) {
  const call = (id, method, params) =>
    mcp.request(session.client, MCP_SERVER.serverId, method, params, { requestId: id });
  await call("mcp-1", "tools/call", { name: "open_file", arguments: { path: "src/cart.ts" } });
  await call("mcp-2", "tools/unknown");
  const missing = mcp.request(session.client, "mcp-missing", "tools/list", {}, { requestId: "mcp-3" });
  await missing.catch(() => {});
}

async function extend(session) {
  await session.client.notify("_acme/progress", { done: 0.5 });
  await session.client.request("_acme/confirm", { question: "Keep going?" });
}

async function review(session) {
  await session.updateAll([...story.thinking, ...story.speaking, ...story.reading]);
  await session.update(story.editing);
  await askAboutEdit(session);
  await session.updateAll(story.building);
  await askTheUser(session);
  await callTools(session);
  await session.updateAll([...story.planning, ...story.bookkeeping, ...story.compacting]);
  await session.updateAll(story.delegating);
  for (const state of story.background) await session.enter(state);
  await extend(session);
  await session.remember({ sessionUpdate: "agent_message", messageId: "answer-1", content: [text("All done.")] });
  return { stopReason: "end_turn", usage: story.usage, background: [] };
}

function startSuite(session) {
  session.cancellable.add(TOOL.suite).add(TERMINAL.suite);
  return session.updateAll([
    {
      sessionUpdate: "tool_call_update",
      toolCallId: TOOL.suite,
      title: "Test suite",
      kind: "execute",
      status: "in_progress",
      capabilities: { cancel: {} },
    },
    {
      sessionUpdate: "terminal_update",
      terminalId: TERMINAL.suite,
      command: "npm test",
      capabilities: { cancel: {} },
    },
  ]);
}

async function longJob(session) {
  const toolCancelled = once(session, TOOL.suite);
  const terminalCancelled = once(session, TERMINAL.suite);
  await startSuite(session);
  await toolCancelled;
  await session.update({
    sessionUpdate: "tool_call_update",
    toolCallId: TOOL.suite,
    status: "cancelled",
    capabilities: null,
  });
  await terminalCancelled;
  await session.update({
    sessionUpdate: "terminal_update",
    terminalId: TERMINAL.suite,
    exitStatus: { exitCode: null, signal: "SIGTERM" },
    capabilities: null,
  });
  await session.enter({ state: "requires_action" });
  const cancellationSignal = session.work.signal;
  await askPermission(session, { title: "Run the rest?" }, { cancellationSignal });
  return { stopReason: "cancelled" };
}

async function rebuild(session) {
  await once(session, "_acme/release");
  await session.remember({ sessionUpdate: "agent_message", messageId: "answer-2", content: [text("Rebuilt.")] });
  return { stopReason: "max_tokens" };
}

async function summarise(session) {
  await session.update({ sessionUpdate: "agent_message", messageId: "answer-3", content: null });
  return { stopReason: "refusal" };
}

/** Goes on without its client, which must learn the outcome when it is back. */
async function deploy(session) {
  if (session.active) await once(session, "detached");
  await session.remember({ sessionUpdate: "agent_message", messageId: "answer-4", content: [text("Deployed.")] });
  return { stopReason: "end_turn" };
}

async function failingJob() {
  return { stopReason: "error", error: { code: -32603, message: "The card was refused", data: { retry: false } } };
}

const JOBS = {
  [TEXT.review]: review,
  [TEXT.longJob]: longJob,
  [TEXT.rebuild]: rebuild,
  [TEXT.held]: summarise,
  [TEXT.deploy]: deploy,
  [TEXT.failing]: failingJob,
};

/** Does the work that a prompt's first line asks for. */
export function runJob(session, [first]) {
  return JOBS[first.text](session);
}
