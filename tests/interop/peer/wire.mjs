import { ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2/unstable";

/** Lines as they passed, from both directions and all connections. */
export class Transcript {
  #lines = [];

  add(from, connection, raw) {
    const member = connection === 1 ? "" : `"connection":${connection},`;
    // The raw line goes in as it is: parsing it here could hide how the peer spelled it.
    this.#lines.push(`{"from":"${from}",${member}"message":${raw}}\n`);
  }

  get size() {
    return this.#lines.length;
  }

  toString() {
    return this.#lines.join("");
  }
}

function tap(onLine) {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop();
      lines.forEach(onLine);
      controller.enqueue(chunk);
    },
  });
}

/** Two ends of one newline-delimited connection, as over stdio, and a way to cut it. */
export function openWire(transcript, connection) {
  const up = tap((raw) => transcript.add("client", connection, raw));
  const down = tap((raw) => transcript.add("agent", connection, raw));
  return {
    client: ndJsonStream(up.writable, down.readable),
    agent: ndJsonStream(down.writable, up.readable),
    cut: () => up.writable.close(),
  };
}
