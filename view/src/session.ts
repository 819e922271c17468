/** The session in the page: columns about the messages, and the JSON text of each. */

export const SIDES = ["client", "agent", "proxy", "unknown"] as const;
export const KINDS = ["request", "notification", "result", "error", "unreadable"] as const;
export const SEVERITIES = ["error", "recovered", "warning", "note"] as const;

export type Kind = (typeof KINDS)[number];
export type Side = (typeof SIDES)[number];
export type Severity = (typeof SEVERITIES)[number];

/** Numbers are indexes of the lists beside them; -1 is none. */
interface Columns {
  line: number[];
  /** The number of the message where its line has several, and otherwise 0. */
  number: number[];
  at: (number | null)[];
  connection: number[];
  from: number[];
  to: number[];
  kind: number[];
  method: number[];
  detail: number[];
  id: (string | null)[];
  partner: number[];
  key: number[];
}

export interface Method {
  name: string;
  retry: string;
  resend: string;
}

export interface Rule {
  id: string;
  command: string;
  page: string;
}

interface Contents {
  title: string;
  tool: string;
  notes: string[];
  judged: number;
  connections: string[];
  methods: Method[];
  details: string[];
  keys: string[];
  rules: Rule[];
  messages: Columns;
  findings: [
    message: number,
    rule: number,
    severity: number,
    pointer: string,
    text: string,
    code: number | null,
  ][];
}

export interface Finding {
  message: number;
  rule: Rule;
  severity: Severity;
  pointer: string;
  text: string;
  code: number | null;
}

export interface Message {
  index: number;
  line: number;
  /** What the list calls it: its line, or # and its number where the line has several. */
  label: string;
  /** Where it is in the log, in words. */
  place: string;
  /** Seconds since the first message that has a time. */
  at: number | null;
  connection: number;
  from: Side;
  to: Side;
  kind: Kind;
  method: Method | null;
  detail: string;
  id: string | null;
  /** The index of the answer to a request, or of the request that a response answers. */
  partner: number;
  key: number;
}

export class Session {
  readonly title: string;
  readonly tool: string;
  readonly notes: string[];
  /** The number of messages that have a verdict. */
  readonly judged: number;
  readonly connections: string[];
  readonly methods: Method[];
  readonly keys: string[];
  readonly messages: Message[];
  readonly findings: Finding[];
  readonly hasTimes: boolean;
  private readonly byMessage = new Map<number, Finding[]>();
  private readonly byKey = new Map<number, number[]>();

  constructor(
    contents: Contents,
    private readonly texts: string[],
  ) {
    const { messages: columns, methods, details } = contents;
    this.title = contents.title;
    this.tool = contents.tool;
    this.notes = contents.notes;
    this.judged = contents.judged;
    this.connections = contents.connections;
    this.methods = methods;
    this.keys = contents.keys;
    const start = columns.at.find((at) => at !== null) ?? 0;
    this.hasTimes = columns.at.some((at) => at !== null);
    this.messages = columns.line.map((line, index) => {
      const at = columns.at[index] ?? null;
      const number = columns.number[index] ?? 0;
      return {
        index,
        line,
        label: number ? `#${number}` : `${line}`,
        place: number ? `message ${number} on line ${line}` : `line ${line}`,
        at: at === null ? null : at - start,
        connection: columns.connection[index] ?? 0,
        from: SIDES[columns.from[index] ?? 3] ?? "unknown",
        to: SIDES[columns.to[index] ?? 3] ?? "unknown",
        kind: KINDS[columns.kind[index] ?? 4] ?? "unreadable",
        method: methods[columns.method[index] ?? -1] ?? null,
        detail: details[columns.detail[index] ?? -1] ?? "",
        id: columns.id[index] ?? null,
        partner: columns.partner[index] ?? -1,
        key: columns.key[index] ?? -1,
      };
    });
    this.findings = contents.findings.map(([message, rule, severity, pointer, text, code]) => ({
      message,
      rule: contents.rules[rule] ?? { id: "?", command: "", page: "" },
      severity: SEVERITIES[severity] ?? "note",
      pointer,
      text,
      code,
    }));
    for (const finding of this.findings) append(this.byMessage, finding.message, finding);
    for (const message of this.messages) {
      if (message.key >= 0 && message.kind === "request")
        append(this.byKey, message.key, message.index);
    }
  }

  text(index: number): string {
    return this.texts[index] ?? "";
  }

  findingsOf(index: number): Finding[] {
    return this.byMessage.get(index) ?? [];
  }

  /** The requests that carry a key, in their order. */
  attempts(key: number): number[] {
    return this.byKey.get(key) ?? [];
  }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Read the session from the text of the element that holds it: gzip in base64. */
export async function readSession(base64: string): Promise<Session> {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [head, ...texts] = (await new Response(stream).text()).split("\n");
  return new Session(JSON.parse(head ?? ""), texts);
}
