import { RequestError, agent, assertSupportedMcpServers } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { mcp, runJob } from "./jobs.mjs";
import { Session } from "./session.mjs";
import { COMMANDS, TEXT, configOptions } from "./world.mjs";

const CAPABILITIES = {
  session: {
    prompt: { image: {}, audio: {}, embeddedContext: {} },
    mcp: { stdio: {}, http: {}, acp: {} },
    delete: {},
    additionalDirectories: {},
    systemPrompt: { mode: { override: {} } },
    fork: {},
    archive: {},
    status: {},
    title: {},
    _meta: { "acme.dev/replay": true },
  },
  auth: { status: {} },
  providers: {},
};

const AUTH_METHODS = [
  { type: "agent", methodId: "acme-login", name: "Acme account", description: "Opens a browser" },
  {
    type: "terminal",
    methodId: "acme-cli",
    name: "Command line",
    args: ["login"],
    env: [{ name: "ACME_TTY", value: "1" }],
  },
  { type: "_acme_card", methodId: "acme-card", name: "Smart card", slot: 1 },
];

const ACCOUNT = { label: "Ada (Acme)", active: true, name: "Ada", email: "ada@acme.example", organization: null };

const asIs = (params) => params;

/** What the agent knows, whichever connection asks. */
class World {
  sessions = new Map();
  signedIn = false;
  provider = null;
  #sessionCount = 0;
  #messageCount = 0;

  get auth() {
    return this.signedIn ? { state: "authenticated", accounts: [ACCOUNT] } : { state: "unauthenticated" };
  }

  create(roots, client) {
    const id = `sess-${++this.#sessionCount}`;
    const session = new Session(id, roots, { runJob, nextMessageId: () => `msg-${++this.#messageCount}` });
    session.client = client;
    this.sessions.set(id, session);
    return session;
  }

  find(sessionId) {
    const session = this.sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  active(sessionId) {
    const session = this.find(sessionId);
    if (!session.active) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  detachAll() {
    for (const session of this.sessions.values()) session.detach();
  }
}

function offer(session) {
  return { configOptions: configOptions(session.settings), availableCommands: COMMANDS };
}

function checkKey(key) {
  if (key == null) return;
  const length = typeof key === "string" ? [...key].length : 0;
  if (length < 1 || length > 255) throw RequestError.invalidParams({ path: "idempotencyKey" });
}

function addAuth(app, world) {
  app
    .onRequest("auth/status", () => world.auth)
    .onRequest("auth/login", async ({ requestId, client }) => {
      const elicitationId = "elicit-login";
      const url = "https://acme.example/login";
      await client.request("elicitation/create", { mode: "url", message: "Sign in.", requestId, elicitationId, url });
      await client.notify("elicitation/complete", { elicitationId });
      world.signedIn = true;
      await client.notify("auth/status_update", world.auth);
    })
    .onRequest("auth/logout", async ({ client }) => {
      world.signedIn = false;
      await client.notify("auth/status_update", world.auth);
    });
}

function addProviders(app, world) {
  app
    .onRequest("providers/list", () => ({
      providers: [{ providerId: "main", supported: ["bedrock", "_acme"], required: false, current: world.provider }],
    }))
    .onRequest("providers/set", ({ params: { apiType, baseUrl } }) => {
      world.provider = { apiType, baseUrl };
    })
    .onRequest("providers/disable", () => {
      world.provider = null;
    });
}

function addLifecycle(app, world) {
  app
    .onRequest("session/new", ({ params, client }) => {
      if (!world.signedIn) throw RequestError.authRequired();
      assertSupportedMcpServers(params.mcpServers, CAPABILITIES.session.mcp);
      const session = world.create(params, client);
      return { sessionId: session.id, ...offer(session) };
    })
    .onRequest("session/fork", ({ params, client }) => {
      const source = world.find(params.sessionId);
      const session = world.create(params, client);
      session.history = [...source.history];
      return { sessionId: session.id, ...offer(session) };
    })
    .onRequest("session/resume", async ({ params, client }) => {
      const session = world.find(params.sessionId);
      session.client = client;
      await session.resume(params.replayFrom?.type === "start");
      return offer(session);
    })
    .onRequest("session/close", ({ params }) => {
      world.active(params.sessionId).detach();
    })
    .onRequest("session/delete", ({ params }) => {
      world.sessions.delete(params.sessionId);
    });
}

function listSessions(world, { cwd, cursor, archived }) {
  const wanted = (session) => archived === "include" || session.archived === (archived === "only");
  const found = [...world.sessions.values()].filter((s) => wanted(s) && (!cwd || s.cwd === cwd));
  const at = Number(cursor ?? 0);
  const more = at + 1 < found.length;
  return { sessions: found.slice(at, at + 1).map((s) => s.info), nextCursor: more ? String(at + 1) : null };
}

function addCatalogue(app, world) {
  app
    .onRequest("session/list", ({ params }) => listSessions(world, params))
    .onRequest("session/status", ({ params }) => {
      const session = world.find(params.sessionId);
      return session.active ? { status: "open", state: session.current } : { status: "saved" };
    })
    .onRequest("session/set_title", async ({ params: { sessionId, title } }) => {
      const session = world.find(sessionId);
      session.title = title.trim();
      await session.update({ sessionUpdate: "session_info_update", title: session.title });
      return { title: session.title };
    })
    .onRequest("session/archive", ({ params }) => {
      world.find(params.sessionId).archived = true;
    })
    .onRequest("session/unarchive", ({ params }) => {
      world.find(params.sessionId).archived = false;
    })
    .onRequest("session/set_config_option", ({ params: { sessionId, configId, value } }) => {
      const session = world.active(sessionId);
      session.settings[configId] = value;
      return { configOptions: configOptions(session.settings) };
    });
}

function cancelEntity(session, id) {
  if (!session.cancellable.delete(id)) throw RequestError.invalidParams({ id }, "unknown or not cancellable");
  // The request is answered first, then the work stops.
  setImmediate(() => session.emit(id));
}

function addCancellation(app, world) {
  app
    .onRequest("tool_call/cancel", ({ params }) => cancelEntity(world.active(params.sessionId), params.toolCallId))
    .onRequest("terminal/cancel", ({ params }) => cancelEntity(world.active(params.sessionId), params.terminalId))
    .onNotification("session/cancel", ({ params }) => world.active(params.sessionId).cancel());
}

async function answerPrompt(world, { params, signal }) {
  checkKey(params.idempotencyKey);
  const session = world.active(params.sessionId);
  const lost = params.prompt[0].text === TEXT.deploy && !session.knows(params.idempotencyKey);
  const answer = await session.submit(params, signal);
  return lost ? new Promise(() => {}) : answer;
}

function addPrompt(app, world) {
  // The SDK's own session/prompt handler gets params without idempotencyKey: its 2.4.0 schema
  // strips unknown members. Only the fallback sees what was sent.
  app.onRequest("*", (context) => {
    if (context.method !== "session/prompt") throw RequestError.methodNotFound(context.method);
    return answerPrompt(world, context);
  });
}

function addExtensions(app, world) {
  app
    .onRequest("_acme/echo", asIs, ({ params }) => params)
    .onNotification("_acme/release", asIs, ({ params }) => world.active(params.sessionId).emit("_acme/release"))
    .onNotification("mcp/message", mcp.handleNotification);
}

/** The agent; every connection of it shares one world. */
export function createAgent() {
  const world = new World();
  const app = agent({ name: "acme-agent" })
    .onConnect(({ closed }) => void closed.then(() => world.detachAll()))
    .onRequest("initialize", () => ({
      protocolVersion: 2,
      info: { name: "acme-agent", title: "Acme Agent", version: "1.0.0" },
      capabilities: CAPABILITIES,
      authMethods: AUTH_METHODS,
    }));
  for (const add of [addAuth, addProviders, addLifecycle, addCatalogue, addCancellation, addPrompt, addExtensions]) {
    add(app, world);
  }
  return app;
}
