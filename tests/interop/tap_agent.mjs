// An agent on standard input and output: each prompt gets an update, whose text is that of the prompt.
import { Readable, Writable } from "node:stream";
import { PROTOCOL_VERSION, agent, ndJsonStream } from "@agentclientprotocol/sdk";

agent({ name: "echo" })
  .onRequest("initialize", () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest("session/new", () => ({ sessionId: "s" }))
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    const update = { sessionUpdate: "agent_message_chunk", content: prompt[0] };
    await client.notify("session/update", { sessionId, update });
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
