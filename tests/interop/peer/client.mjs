import { EventEmitter } from "node:events";
import { McpOverAcpProvider, McpProtocolError, client } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { MCP_SERVER } from "./world.mjs";

const SELECTED = { "Edit cart.ts?": "once", "Run the build?": "no" };

const ELICITED = {
  "Sign in.": { action: "accept" },
  "Confirm the payment.": { action: "accept" },
  "Anything else?": { action: "decline" },
  "Save these answers?": { action: "cancel" },
  "Which order?": {
    action: "accept",
    content: {
      email: "ada@acme.example",
      size: "l",
      discount: 0.25,
      items: 4,
      gift: true,
      colours: ["red"],
      extras: [],
    },
  },
};

const asIs = (params) => params;

/** The session updates received, read one after the other. */
class Updates {
  #queue = [];
  #wake = () => {};

  push(notification) {
    this.#queue.push(notification);
    this.#wake();
  }

  async next() {
    while (this.#queue.length === 0) await new Promise((resolve) => (this.#wake = resolve));
    return this.#queue.shift();
  }

  /** Reads up to the first update that has all the wanted members. */
  async until(wanted) {
    for (;;) {
      const { update } = await this.next();
      if (Object.entries(wanted).every(([name, value]) => update[name] === value)) return update;
    }
  }

  idle() {
    return this.until({ sessionUpdate: "state_update", state: "idle" });
  }
}

function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", resolve, { once: true });
  });
}

/** Answers the known questions; any other stays open until the agent takes it back. */
async function decide({ params, signal }, questions) {
  const optionId = SELECTED[params.title];
  if (optionId) return { outcome: { outcome: "selected", optionId } };
  questions.emit(params.title);
  await aborted(signal);
  return { outcome: { outcome: "cancelled" } };
}

async function serveTool({ method, params, notify }) {
  if (method !== "tools/call") throw new McpProtocolError(-32601, `Method not found: ${method}`);
  await notify("notifications/progress", { progressToken: "open", progress: 1, total: 2 });
  return { result: { resultType: "complete", content: [{ type: "text", text: `opened ${params.arguments.path}` }] } };
}

/** The client app, the updates it receives, and the questions it leaves open. */
export function createClient() {
  const updates = new Updates();
  const questions = new EventEmitter();
  const mcp = new McpOverAcpProvider();
  const app = client({ name: "acme-editor" })
    .onNotification("session/update", ({ params }) => updates.push(params))
    .onNotification("elicitation/complete", () => {})
    .onNotification("auth/status_update", () => {})
    .onNotification("_acme/progress", asIs, () => {})
    .onRequest("session/request_permission", (context) => decide(context, questions))
    .onRequest("elicitation/create", ({ params }) => ELICITED[params.message])
    .onRequest("mcp/message", mcp.handleRequest)
    .onRequest("_acme/confirm", asIs, () => ({ answer: "yes" }))
    .onConnect(({ agent }) => void mcp.registerServer(agent, { ...MCP_SERVER, handler: serveTool }));
  return { app, updates, questions };
}
