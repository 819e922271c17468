/** What runs through several rows: requests until their answer, and attempts under one key. */

import type { Message, Session, Side } from "./session";

export const MOST_BARS = 4;
export const MOST_THREADS = 3;

/** From a request to its answer, on the line of the side that works on it. */
export interface Bar {
  connection: number;
  side: Side;
  depth: number;
  first: number;
  last: number;
  failed: boolean;
}

/** From the first to the last request with one key. */
export interface Thread {
  key: number;
  track: number;
  first: number;
  last: number;
}

export interface Tracks {
  bars: readonly (readonly Bar[])[];
  threads: readonly (readonly Thread[])[];
  /** How many threads run side by side. */
  width: number;
}

export function tracks(session: Session): Tracks {
  const found = threads(session);
  return {
    bars: sweep(session.messages, bars(session)),
    threads: sweep(session.messages, found),
    width: found.reduce((most, thread) => Math.max(most, thread.track + 1), 0),
  };
}

interface Span {
  first: number;
  last: number;
}

/** For each row the spans over it. Rows between two ends share one list. */
function sweep<S extends Span>(messages: Message[], spans: S[]): (readonly S[])[] {
  const starts = new Map<number, S[]>();
  for (const span of spans) starts.set(span.first, [...(starts.get(span.first) ?? []), span]);
  let open: readonly S[] = [];
  return messages.map((_, index) => {
    const started = starts.get(index);
    if (started || open.some((span) => span.last < index)) {
      open = [...open.filter((span) => span.last >= index), ...(started ?? [])];
    }
    return open;
  });
}

/** Gives spans, in the order of their starts, the lowest track that is free. */
class Allotment {
  private readonly ends: number[] = [];
  constructor(private readonly most: number) {}

  place(span: Span): number | null {
    for (let track = 0; track < this.most; track++) {
      if ((this.ends[track] ?? -1) < span.first) {
        this.ends[track] = span.last;
        return track;
      }
    }
    return null;
  }
}

function bars({ messages }: Session): Bar[] {
  const found: Bar[] = [];
  const places = new Map<string, Allotment>();
  for (const message of messages) {
    const answer = messages[message.partner];
    if (message.kind !== "request" || !answer || message.to === "unknown") continue;
    const place = `${message.connection} ${message.to}`;
    const allotment = places.get(place) ?? new Allotment(MOST_BARS);
    places.set(place, allotment);
    const span = { first: message.index, last: answer.index };
    const depth = allotment.place(span);
    if (depth === null) continue;
    const failed = answer.kind === "error";
    found.push({ ...span, connection: message.connection, side: message.to, depth, failed });
  }
  return found;
}

function threads(session: Session): Thread[] {
  const allotment = new Allotment(MOST_THREADS);
  const spans = session.keys
    .map((_, key) => ({ key, attempts: session.attempts(key) }))
    .filter(({ attempts }) => attempts.length > 1)
    .map(({ key, attempts }) => ({ key, first: attempts[0] ?? 0, last: attempts.at(-1) ?? 0 }))
    .sort((a, b) => a.first - b.first);
  return spans.flatMap((span) => {
    const track = allotment.place(span);
    return track === null ? [] : [{ ...span, track }];
  });
}
