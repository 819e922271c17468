// A client that starts its agent as docs/tap.md shows it. Arguments: the command of the tap.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, client, ndJsonStream } from "@agentclientprotocol/sdk";

const [acpgen, ...tap] = process.argv.slice(2);
const agent = spawn(acpgen, tap, { stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

const texts = [];
const { agent: peer } = client({ name: "editor" })
  .onNotification("session/update", ({ params }) => texts.push(params.update.content.text))
  .connect(stream);
await peer.request("initialize", { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
const { sessionId } = await peer.request("session/new", { cwd: "/", mcpServers: [] });
await peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
agent.once("exit", (status) => console.log(JSON.stringify({ texts, status })));
agent.stdin.end();
