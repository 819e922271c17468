/**
 * `@agentclientprotocol/claude-agent-acp` with idempotency keys: run it in place of the adapter.
 * The adapter draws a random UUID for each user message. Here the first that it draws for a keyed
 * prompt is the one that follows from the key.
 */
import { execFile } from "node:child_process";
import crypto from "node:crypto";
import { AsyncLocalStorage } from "node:async_hooks";
import { readFile, readdir } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { ClaudeAcpAgent, nodeToWebReadable, nodeToWebWritable } from "@agentclientprotocol/claude-agent-acp";
import { applyManagedPolicyEnv } from "@agentclientprotocol/claude-agent-acp/dist/managed-policy.js";
import { acpProtocolRouter } from "@agentclientprotocol/claude-agent-acp/dist/serve.js";
import { ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";
import { MESSAGE_ID, withKeys } from "./keys.ts";

const turn = new AsyncLocalStorage<{ messageId?: string }>();
const { randomUUID } = crypto;
crypto.randomUUID = function draw(...options) {
  const store = turn.getStore();
  const chosen = store?.messageId as ReturnType<typeof randomUUID> | undefined;
  // Other code of the adapter draws UUIDs in the course of a prompt, too.
  if (!store || !chosen || !new Error().stack?.split("\n")[2]?.includes("startTurn")) return randomUUID(...options);
  delete store.messageId;
  return chosen;
};
syncBuiltinESMExports();
const adapter = ClaudeAcpAgent.prototype as any;
const { startTurn } = adapter;
adapter.startTurn = function (params: any, ...rest: unknown[]) {
  return turn.run({ messageId: params._meta?.[MESSAGE_ID] }, () => startTurn.call(this, params, ...rest));
};

/** Whether the Claude Code of another adapter works on a session, such as that of one that was killed. */
async function isBusy(sessionId: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "ppid=,command="], { maxBuffer: 2 ** 26 });
  return stdout.split("\n").some((line) => line.includes(`=${sessionId}`) && parseInt(line) !== process.pid);
}

/** The user messages of a session in the files of Claude Code. It merges prompts that it has queued. */
async function read(sessionId: string): Promise<Set<string>> {
  for (let waits = 0; await isBusy(sessionId); waits++) {
    if (waits === 600) throw new Error(`session ${sessionId} is in use by another adapter`);
    await setTimeout(50);
  }
  const projects = join(process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), ".claude"), "projects");
  const known = new Set<string>();
  const files = await readdir(projects, { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === "ENOENT") return []; // nothing was ever stored
    throw error;
  });
  for (const { parentPath, name } of files) {
    if (name !== `${sessionId}.jsonl`) continue;
    for (const line of (await readFile(join(parentPath, name), "utf8")).split("\n")) {
      if (!/"type":"user"|"mergedSendUuids"/.test(line) || !line.endsWith("}")) continue;
      const { type, uuid, mergedSendUuids = [] } = JSON.parse(line);
      for (const each of type === "user" ? [uuid, ...mergedSendUuids] : mergedSendUuids) known.add(each);
    }
  }
  return known;
}

await applyManagedPolicyEnv();
console.log = console.info = console.warn = console.debug = console.error;
let agent: any;
const history = { isActive: (sessionId: string) => Boolean(agent?.sessions[sessionId]), read };
const stdio = ndJsonStream(nodeToWebWritable(process.stdout), nodeToWebReadable(process.stdin));
const connection = acpProtocolRouter(undefined, (created: unknown) => (agent = created)).connect(withKeys(stdio, history));
process.stdin.resume();
await connection.closed;
await agent?.dispose();
process.exit(0);
