/**
 * Idempotency keys for an agent that chooses the IDs of its user messages, as a stream around its
 * connection. Each keyed prompt gets the ID that follows from session and key. The agent inserts it
 * under that ID, so that key and message are stored in one step, without a store of their own.
 */
import { createHash } from "node:crypto";

type Id = string | number | null;
type Message = { id?: Id; method?: string; params?: any; result?: any; error?: unknown; [name: string]: unknown };
export type MessageStream = { readable: ReadableStream<any>; writable: WritableStream<any> };

export interface History {
  /** Whether a session is open in this process. */
  isActive(sessionId: string): boolean;
  /** The IDs of all user messages of a session, those that were merged into another one included. */
  read(sessionId: string): Promise<Set<string>>;
}

/** The member of a prompt's `_meta` with the ID under which the agent must insert it. */
export const MESSAGE_ID = "acp-keys/messageId";
const NAMESPACE = Buffer.from("0c32147895f953e7a143a88dca717c67", "hex");

/** The UUIDv5 that `acp_retry.derive_message_id` returns. */
export function deriveMessageId(sessionId: string, key: string): string {
  const name = `${Buffer.byteLength(sessionId)}:${sessionId},${key}`;
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! % 16) + 0x50;
  bytes[8] = (bytes[8]! % 64) + 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Whether a value is a key. Anything else but null is answered with -32602. */
export const isKey = (key: unknown): key is string =>
  typeof key === "string" && key !== "" && [...key].length <= 255 && !/\p{Surrogate}/u.test(key);

/** The stream for the agent, whose prompts have no keys. It answers retries itself. */
export function withKeys(stream: MessageStream, history: History): MessageStream {
  const waiting = new Map<string, Id[]>(); // the requests for each message; the agent has the first
  const asked = new Map<Id, { sessionId: string; messageId: string }>();
  const known = new Map<string, Set<string>>();
  const writer = stream.writable.getWriter();
  const answer = (id: Id, body: object) => writer.write({ jsonrpc: "2.0", id, ...body });
  const fail = (code: number, message: string, reason: string) => ({ error: { code, message, data: { reason } } });

  async function settle(messageId: string, body: object): Promise<void> {
    const requests = waiting.get(messageId) ?? [];
    waiting.delete(messageId);
    for (const id of requests) asked.delete(id);
    for (const id of requests) await answer(id, body);
  }

  /** What the agent gets of a prompt: nothing if it is a retry. */
  async function prompt(message: Message): Promise<Message | undefined> {
    const { idempotencyKey: key, ...params } = message.params;
    const { [MESSAGE_ID]: _, ...meta } = params._meta ?? {};
    const rest = { ...params, ...("_meta" in params ? { _meta: meta } : {}) };
    const id = message.id as Id;
    if (key != null && !isKey(key)) {
      await answer(id, fail(-32602, "Invalid params", "idempotencyKey is not a string of 1 to 255 characters"));
      return undefined;
    }
    if (key == null || !history.isActive(params.sessionId)) return { ...message, params: rest };
    const sessionId: string = params.sessionId;
    const messageId = deriveMessageId(sessionId, key);
    asked.set(id, { sessionId, messageId });
    if (waiting.get(messageId)?.push(id)) return undefined;
    waiting.set(messageId, [id]);
    try {
      if (!known.has(sessionId)) known.set(sessionId, await history.read(sessionId));
    } catch {
      await settle(messageId, fail(-32603, "Internal error", "the session could not be searched for the key"));
      return undefined;
    }
    if (known.get(sessionId)!.has(messageId)) return void (await settle(messageId, { result: { messageId } }));
    return { ...message, params: { ...rest, _meta: { ...meta, [MESSAGE_ID]: messageId } } };
  }

  const toAgent = new TransformStream<Message, Message>({
    async transform(message, agent) {
      const { method, params } = message;
      if (method === "session/delete") known.delete(params?.sessionId);
      const isPrompt = method === "session/prompt" && "id" in message && typeof params === "object" && params;
      const sent = asked.get(params?.requestId);
      if (isPrompt) message = (await prompt(message)) as Message;
      else if (method === "$/cancel_request" && sent)
        message = { ...message, params: { ...params, requestId: waiting.get(sent.messageId)![0] } };
      if (message) agent.enqueue(message);
    },
  });
  const toClient = new WritableStream<Message>({
    async write(message) {
      const prompt = "method" in message ? undefined : asked.get(message.id as Id);
      if (!prompt) return writer.write(message);
      const { id: _, ...body } = message;
      const inserted = message.result?.messageId;
      if (inserted) known.get(prompt.sessionId)?.add(prompt.messageId);
      if (inserted && inserted !== prompt.messageId)
        console.error(`session ${JSON.stringify(prompt.sessionId)}: the agent chose another ID than ${prompt.messageId}`);
      await settle(prompt.messageId, body);
    },
    close: () => writer.close(),
  });
  return { readable: stream.readable.pipeThrough(toAgent), writable: toClient };
}
