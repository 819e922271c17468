/** Which messages are shown. */

import type { Finding, Message, Session } from "./session";

export interface Filter {
  words: string;
  method: string;
  from: string;
  finding: string;
  connection: string;
}

export const EVERYTHING: Filter = { words: "", method: "", from: "", finding: "", connection: "" };

export const isEverything = (filter: Filter): boolean =>
  Object.values(filter).every((value) => value === "");

/** The indexes of the messages that pass, in their order. */
export function shown(session: Session, filter: Filter): number[] {
  const words = filter.words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i"));
  const passes = (message: Message): boolean =>
    (!filter.connection || message.connection === Number(filter.connection)) &&
    (!filter.from || message.from === filter.from) &&
    (!filter.method || (message.method?.name ?? "-") === filter.method) &&
    (!filter.finding ||
      session.findingsOf(message.index).some((found) => fits(found, filter.finding))) &&
    words.every((word) => word.test(summary(message)) || word.test(session.text(message.index)));
  return session.messages.filter(passes).map((message) => message.index);
}

/** `any`, a severity, or the id of a rule after a colon. */
function fits(finding: Finding, wanted: string): boolean {
  return wanted === "any" || finding.severity === wanted || `:${finding.rule.id}` === wanted;
}

const summary = ({ method, detail, kind, from, id, label }: Message): string =>
  `${method?.name ?? ""} ${detail} ${kind} ${from} ${id ?? ""} ${label}`;

/** Values with the number of messages that have them, most frequent first. */
export function counted(values: Iterable<string>): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
}
