// A client on the official TypeScript SDK, for the kit to judge:
// `node client.mjs (--keys | --no-keys) FILE CLOCK TEXT MORE AGENT...`.
// It sends again what is pending, submits TEXT and MORE at once if there are any, and ends. With --keys, FILE keeps
// each prompt with its key until it is answered; without, it prompts as the SDK does and keeps nothing.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream } from "../interop/node_modules/@agentclientprotocol/sdk/dist/v2/unstable/acp.js";

const DAY = 24 * 60 * 60;
const HERE = { cwd: process.cwd(), mcpServers: [] };
const [flag, file, clock, text, more, command, ...args] = process.argv.slice(2);
const now = Date.now() / 1000 + Number(clock);
let pending = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

function store() {
  writeFileSync(`${file}.new`, JSON.stringify(pending));
  renameSync(`${file}.new`, file);
}

/** Sends a prompt, which stays pending unless the agent inserted it. */
async function deliver(agent, entry) {
  await agent.request("session/prompt", entry.params);
  pending = pending.filter((each) => each !== entry);
  store();
}

async function resend(agent) {
  const waiting = pending.filter((each) => now - each.submitted < DAY);
  for (const sessionId of new Set(waiting.map((each) => each.params.sessionId))) {
    await agent.request("session/resume", { sessionId, ...HERE });
  }
  for (const entry of waiting) await deliver(agent, entry);
}

async function submit(agent) {
  const { sessionId } = await agent.request("session/new", HERE);
  const entries = [text, more].filter(Boolean).map((each) => {
    const prompt = [{ type: "text", text: each }];
    return { params: { sessionId, prompt, idempotencyKey: randomUUID() }, submitted: now };
  });
  pending.push(...entries);
  store();
  await Promise.all(entries.map((entry) => deliver(agent, entry)));
}

async function withKeys(agent) {
  await resend(agent);
  if (text) await submit(agent);
}

async function withoutKeys(agent) {
  if (!text) return;
  const session = await agent.buildSession(HERE.cwd).start();
  await session.prompt(text);
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
child.stdin.on("error", () => {}); // an agent that is gone takes nothing
const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
try {
  await client({ name: "typescript-client" }).connectWith(stream, async (agent) => {
    await agent.request("initialize", { protocolVersion: 2, info: { name: "typescript-client", version: "1" } });
    await (flag === "--keys" ? withKeys : withoutKeys)(agent);
  });
} catch (error) {
  process.exitCode = 1; // the prompt stays pending
} finally {
  child.stdin.end();
}
