// Serves a stdio agent over Streamable HTTP and WebSocket through the official AcpServer, each message as it is.
//   node mount.mjs HTTP_PORT COMMAND [ARGUMENT...]   starts the agent for each connection
//   node mount.mjs HTTP_PORT tcp:AGENT_PORT          connects to one agent that listens on loopback
// Port 0 takes a free one. The first line of the output is the port.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

const [httpPort, command, ...rest] = process.argv.slice(2);

function open() {
  if (command.startsWith("tcp:")) {
    const socket = connect(Number(command.slice("tcp:".length)), "127.0.0.1");
    return { input: socket, output: socket, events: socket, end: () => socket.destroy() };
  }
  const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
  return { input: child.stdin, output: child.stdout, events: child, end: () => child.kill() };
}

// Lines end at \n only: JSON may hold other line separators.
async function* linesOf(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

async function toAgent(messages, agent) {
  for await (const message of messages) agent.input.write(`${JSON.stringify(message)}\n`);
}

async function toClient(agent, messages) {
  const writer = messages.getWriter();
  for await (const line of linesOf(agent.output)) await writer.write(JSON.parse(line));
  await writer.close();
}

function createAgent() {
  return {
    connect(stream) {
      const agent = open();
      for (const part of [agent.input, agent.events]) part.on("error", () => {});
      const closed = new Promise((resolve) => agent.events.on("close", resolve));
      toAgent(stream.readable, agent).catch(() => {}).finally(agent.end);
      toClient(agent, stream.writable).catch(() => {});
      return { closed };
    },
  };
}

const server = new AcpServer({ createAgent });
const http = createServer(createNodeHttpHandler(server));
http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
http.listen(Number(httpPort), "127.0.0.1", () => console.log(http.address().port));
