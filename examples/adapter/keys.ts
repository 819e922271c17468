/**
 * Idempotency keys for an agent that chooses the IDs of its user messages, as a stream around its
 * connection. Each keyed prompt gets the ID that follows from session and key. The agent inserts it
 * under that ID, so that key and message are stored in one step, without a store of their own.
 */
import { createHash } from "node:crypto";
import type { AnyMessage, JsonRpcId, Stream } from "@agentclientprotocol/sdk/experimental/v2";

export interface History {
  /** Whether a session is open in this process. */
  isActive(sessionId: string): boolean;
  /** The IDs of all user messages of a session, those that were merged into another one included. */
  read(sessionId: string): Promise<Set<string>>;
}
type Params = { sessionId: string; idempotencyKey?: unknown; _meta?: object | null };

/** The member of a prompt's `_meta` with the ID under which the agent must insert it. */
export const MESSAGE_ID = "acp-keys/messageId";
const NAMESPACE = Buffer.from("0c32147895f953e7a143a88dca717c67", "hex");

/** The UUIDv5 that `acp_retry.derive_message_id` returns. */
export function deriveMessageId(sessionId: string, key: string): string {
  const name = `${Buffer.byteLength(sessionId)}:${sessionId},${key}`;
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) % 16) + 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) % 64) + 0x80, 8);
  return bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Whether a value is a key. Anything else but null is answered with -32602. */
export const isKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && [...key].length <= 255 && !/\p{Surrogate}/u.test(key);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const fail = (code: number, message: string, reason: string) => ({ error: { code, message, data: { reason } } });
const MALFORMED = fail(-32602, "Invalid params", "idempotencyKey is not a string of 1 to 255 characters");
const UNREADABLE = fail(-32603, "Internal error", "the session could not be searched for the key");

/** The stream for the agent, whose prompts have no keys. It answers retries itself. */
export function withKeys(stream: Stream, history: History): Stream {
  const waiting = new Map<string, JsonRpcId[]>(); // the requests for each message; the agent has the first
  const asked = new Map<unknown, { sessionId: string; messageId: string }>();
  const known = new Map<string, Set<string>>();
  const writer = stream.writable.getWriter();

  async function settle(messageId: string, body: object): Promise<void> {
    const requests = waiting.get(messageId) ?? [];
    waiting.delete(messageId);
    for (const id of requests) asked.delete(id);
    for (const id of requests) await writer.write({ jsonrpc: "2.0", id, ...body } as AnyMessage);
  }

  /** The params for the agent. A retry has none, since it is answered here. */
  async function withoutKey(id: JsonRpcId, { idempotencyKey: key, ...params }: Params): Promise<Params | undefined> {
    const { sessionId } = params;
    const { [MESSAGE_ID]: _, ..._meta } = { [MESSAGE_ID]: "", ...params._meta };
    const plain = "_meta" in params ? { ...params, _meta } : params;
    if (!isKey(key)) return key == null ? plain : void (await writer.write({ jsonrpc: "2.0", id, ...MALFORMED }));
    if (!history.isActive(sessionId)) return plain;
    const messageId = deriveMessageId(sessionId, key);
    asked.set(id, { sessionId, messageId });
    if (waiting.get(messageId)?.push(id)) return undefined;
    waiting.set(messageId, [id]);
    const found = known.get(sessionId) ?? (await history.read(sessionId).catch(() => undefined));
    if (!found) return void (await settle(messageId, UNREADABLE));
    known.set(sessionId, found);
    if (found.has(messageId)) return void (await settle(messageId, { result: { messageId } }));
    return { ...params, _meta: { ..._meta, [MESSAGE_ID]: messageId } };
  }

  const toAgent = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, agent) {
      if (!("method" in message) || !isObject(message.params)) return agent.enqueue(message);
      let params: object | undefined = message.params;
      const sent = asked.get(message.params.requestId);
      if (message.method === "session/delete") known.delete(String(message.params.sessionId));
      if (message.method === "session/prompt" && "id" in message)
        params = await withoutKey(message.id, message.params as Params);
      else if (message.method === "$/cancel_request" && sent)
        params = { ...params, requestId: waiting.get(sent.messageId)?.[0] };
      if (params) agent.enqueue({ ...message, params });
    },
  });
  const toClient = new WritableStream<AnyMessage>({
    async write(message) {
      const prompt = "method" in message ? undefined : asked.get(message.id);
      if (!prompt || "method" in message) return writer.write(message);
      const { jsonrpc: _, id: __, ...body } = message;
      const inserted = "result" in body && isObject(body.result) && body.result.messageId;
      if (inserted) known.get(prompt.sessionId)?.add(prompt.messageId);
      if (inserted && inserted !== prompt.messageId)
        console.error(`session ${JSON.stringify(prompt.sessionId)}: the agent chose another ID than ${prompt.messageId}`);
      await settle(prompt.messageId, body);
    },
    close: () => writer.close(),
  });
  return { readable: stream.readable.pipeThrough(toAgent), writable: toClient };
}
