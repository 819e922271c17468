/** Where things are drawn in a row, in pixels. */

import { short } from "./json";
import type { Session, Side } from "./session";

export const ROW = 30;
export const HEAD = 46;
export const THREAD = 14;

/** A length, as styles have it. */
export const px = (length: number): string => `${length}px`;

/** The title of a lane; a log need not name its connections. */
export const laneTitle = (name: string, length = 40): string =>
  short(name, length) || "unnamed connection";

const DIGIT = 7.5;
const EDGE = 32;
const NARROWEST = 232;
const WIDEST = 420;
/** What the column of findings should have, where there is room. */
const FINDINGS = 240;
const LEAST_FINDINGS = 140;
/** A narrower lane shows only what tells a message from its neighbours. */
export const ROOMY_LANE = 330;
/** At most this wide, the column only counts them. */
export const NARROW_FINDINGS = 44;

export interface Geometry {
  number: number;
  time: number;
  threads: number;
  /** Where the first lane starts. */
  start: number;
  lane: number;
  /** The width of the column of findings, which stays at the right edge of what is in sight. */
  findings: number;
  sight: number;
  width: number;
}

export function geometry(session: Session, available: number, beside: number): Geometry {
  const last = session.messages.at(-1)?.label ?? "1";
  const number = Math.ceil(last.length * DIGIT) + 22;
  const time = session.hasTimes && available > 600 ? 76 : 0;
  const threads = beside ? THREAD * beside + 8 : 0;
  const start = number + time + threads;
  const count = Math.max(1, session.connections.length);
  const spare = available > 700 ? FINDINGS : NARROW_FINDINGS;
  const lane = Math.max(
    NARROWEST,
    Math.min(WIDEST, Math.floor((available - start - spare) / count)),
  );
  const least = available > 700 ? LEAST_FINDINGS : NARROW_FINDINGS;
  const findings = Math.max(least, available - start - lane * count);
  return {
    number,
    time,
    threads,
    start,
    lane,
    findings,
    sight: available,
    width: start + lane * count + findings,
  };
}

/** Where the line of a side is in its lane. */
export function lifeline(side: Side, lane: number): number {
  if (side === "client") return EDGE;
  return side === "agent" ? lane - EDGE : Math.round(lane / 2);
}
