import { EventEmitter } from "node:events";
import { RequestError } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { NOW } from "./world.mjs";

const IDLE = { state: "idle" };

function deferred() {
  const handle = {};
  handle.promise = new Promise((resolve, reject) => Object.assign(handle, { resolve, reject }));
  // An answer may be dropped together with its connection.
  handle.promise.catch(() => {});
  return handle;
}

/** One agent session: its history, its current work, and the prompts that wait behind it. */
export class Session extends EventEmitter {
  client = null;
  title = "Untitled";
  archived = false;
  settings = {};
  history = [];
  cancellable = new Set();
  work = new AbortController();
  #current = IDLE;
  #busy = false;
  #held = [];
  #inserted = new Map();

  constructor(id, { cwd, additionalDirectories = [] }, { nextMessageId, runJob }) {
    super();
    Object.assign(this, { id, cwd, additionalDirectories, nextMessageId, runJob });
  }

  get active() {
    return this.client !== null;
  }

  get current() {
    return this.#current;
  }

  get info() {
    const { id: sessionId, cwd, additionalDirectories, title, archived } = this;
    return { sessionId, cwd, additionalDirectories, title, updatedAt: NOW, archived };
  }

  detach() {
    this.client = null;
    this.emit("detached");
  }

  async update(update) {
    await this.client?.notify("session/update", { sessionId: this.id, update });
  }

  async updateAll(updates) {
    for (const update of updates) await this.update(update);
  }

  async remember(update) {
    this.history.push(update);
    await this.update(update);
  }

  async enter(state) {
    this.#current = state;
    await this.update({ sessionUpdate: "state_update", ...state });
  }

  async resume(replay) {
    if (replay) await this.updateAll(this.history);
    await this.enter(this.#current);
  }

  knows(key) {
    return this.#inserted.has(key);
  }

  /** Answers a prompt once its message is inserted; a key is inserted once. */
  submit({ idempotencyKey: key, prompt }, signal) {
    if (this.knows(key)) return { messageId: this.#inserted.get(key) };
    const submission = this.#waiting(key) ?? this.#claim(key, prompt);
    this.#withdrawOn(signal, submission);
    return submission.answer.promise;
  }

  /** What `session/cancel` covers: prompts not yet inserted, then the work itself. */
  cancel() {
    for (const { answer } of this.#held.splice(0)) answer.reject(RequestError.requestCancelled());
    setImmediate(() => this.work.abort());
  }

  #waiting(key) {
    return key == null ? undefined : this.#held.find((submission) => submission.key === key);
  }

  #claim(key, prompt) {
    const submission = { key, prompt, answer: deferred() };
    if (this.#busy) this.#held.push(submission);
    else this.#insert(submission);
    return submission;
  }

  #withdrawOn(signal, submission) {
    const withdraw = () => {
      const at = this.#held.indexOf(submission);
      if (at < 0) return;
      this.#held.splice(at, 1);
      submission.answer.reject(RequestError.requestCancelled());
    };
    if (signal.aborted) withdraw();
    else signal.addEventListener("abort", withdraw, { once: true });
  }

  async #insert({ key, prompt, answer }) {
    this.#busy = true;
    const messageId = this.nextMessageId();
    if (key != null) this.#inserted.set(key, messageId);
    await this.#report(messageId, prompt);
    answer.resolve({ messageId });
    // The answer goes out first, so that the order on the wire is the same in each run.
    setImmediate(() => this.#run(prompt));
  }

  /** A message of many blocks is streamed while live; its replay is whole. */
  async #report(messageId, prompt) {
    const whole = { sessionUpdate: "user_message", messageId, content: prompt };
    const chunks = prompt.map((content) => ({ sessionUpdate: "user_message_chunk", messageId, content }));
    this.history.push(whole);
    await this.updateAll(prompt.length > 1 ? chunks : [whole]);
  }

  async #run(prompt) {
    this.work = new AbortController();
    await this.enter({ state: "running" });
    await this.enter({ ...IDLE, ...(await this.runJob(this, prompt)) });
    this.#busy = false;
    const next = this.#held.shift();
    if (next) await this.#insert(next);
  }
}
