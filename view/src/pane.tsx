import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Line, lines, nearest, short, visible } from "./json";
import { laneTitle } from "./lanes";
import { Prose } from "./prose";
import { hue, label, time } from "./row";
import { type Finding, type Message, type Session, SEVERITIES, type Severity } from "./session";

const FIRST_LINES = 1_000;
const MORE_LINES = 5_000;
const LONGEST_TOKEN = 1_000;

interface Props {
  session: Session;
  message: Message;
  onSelect: (index: number) => void;
  onClose: () => void;
}

export function Pane({ session, message, onSelect, onClose }: Props) {
  const findings = session.findingsOf(message.index);
  const [asked, setAsked] = useState<{ index: number; pointer: string } | null>(null);
  const { name, detail } = label(message);
  return (
    <aside class="pane" aria-label={`Message: ${message.place}`}>
      <header>
        <h2 title={name}>
          <bdi>{name}</bdi> {detail && <bdi class="detail">{detail}</bdi>}
        </h2>
        <button
          type="button"
          class="plain"
          onClick={onClose}
          aria-label="Close"
          title="Close (Esc)"
        >
          ✕
        </button>
      </header>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Details">
        <Facts session={session} message={message} onSelect={onSelect} />
        {findings.length > 0 && (
          <section class="found" aria-label="Findings">
            {findings.map((finding, i) => (
              <FindingCard
                key={i}
                finding={finding}
                onShow={() => setAsked({ index: message.index, pointer: finding.pointer })}
              />
            ))}
          </section>
        )}
        <Json
          key={message.index}
          text={session.text(message.index)}
          findings={findings}
          asked={asked?.index === message.index ? asked : null}
        />
      </div>
    </aside>
  );
}

function Facts({ session, message, onSelect }: Omit<Props, "onClose">) {
  const partner = session.messages[message.partner];
  const attempts = message.key < 0 ? [] : session.attempts(message.key);
  const many = session.connections.length > 1;
  const isRequest = message.kind === "request";
  return (
    <dl class="facts">
      <dt>Place</dt>
      <dd>
        {message.place}
        {message.at !== null && <span class="dim"> at {time(message.at)} s</span>}
        {many && (
          <bdi class="dim"> on {laneTitle(session.connections[message.connection] ?? "", 60)}</bdi>
        )}
      </dd>
      <dt>From</dt>
      <dd>
        {message.from} → {message.to}
      </dd>
      <dt>Kind</dt>
      <dd>
        {message.kind}
        {message.id !== null && <bdi class="dim"> with id {short(message.id, 80)}</bdi>}
      </dd>
      {(isRequest || partner) && <dt>{isRequest ? "Answer" : "Request"}</dt>}
      {partner ? (
        <dd>
          <button type="button" class="link" onClick={() => onSelect(partner.index)}>
            {partner.kind}: {partner.place}
          </button>
          {partner.at !== null && message.at !== null && (
            <span class="dim"> after {Math.abs(partner.at - message.at).toFixed(3)} s</span>
          )}
        </dd>
      ) : (
        isRequest && <dd class="missing">none in this recording</dd>
      )}
      {message.key >= 0 && (
        <>
          <dt>Key</dt>
          <dd>
            <bdi class="key" style={{ "--hue": hue(message.key) }}>
              {short(session.keys[message.key] ?? "", 80)}
            </bdi>
          </dd>
        </>
      )}
      {attempts.length > 1 && (
        <>
          <dt>Attempts</dt>
          <dd class="attempts">
            {attempts.map((index) => (
              <button
                key={index}
                type="button"
                class="link"
                aria-current={index === message.index || index === message.partner}
                onClick={() => onSelect(index)}
              >
                {session.messages[index]?.place}
              </button>
            ))}
          </dd>
        </>
      )}
      {message.method?.retry && (
        <>
          <dt>Resend</dt>
          <dd>
            <code>{message.method.retry}</code>{" "}
            <span class="dim">
              <Prose text={message.method.resend} />
            </span>
          </dd>
        </>
      )}
    </dl>
  );
}

function FindingCard({ finding, onShow }: { finding: Finding; onShow: () => void }) {
  return (
    <article class={`finding ${finding.severity}`}>
      <p class="what">
        <b class={`badge ${finding.severity}`}>{finding.rule.id}</b>
        <span class="dim">
          {finding.severity} of <code>{finding.rule.command}</code>
          {finding.code !== null && `, owed ${finding.code}`}
        </span>
      </p>
      <p>
        <Prose text={visible(finding.text)} />
      </p>
      {finding.pointer && (
        <button type="button" class="link pointer" onClick={onShow} title="Show it in the message">
          <bdi>{short(finding.pointer, 200)}</bdi>
        </button>
      )}
      {finding.rule.page && (
        <details>
          <summary>Why, and how to fix it</summary>
          {finding.rule.page.split("\n\n").map((paragraph) => (
            <p key={paragraph}>
              <Prose text={paragraph} />
            </p>
          ))}
        </details>
      )}
    </article>
  );
}

interface JsonProps {
  text: string;
  findings: Finding[];
  asked: { pointer: string } | null;
}

function Json({ text, findings, asked }: JsonProps) {
  const found = useMemo(() => lines(text), [text]);
  const pointers = useMemo(() => new Set(found?.map((line) => line.pointer)), [found]);
  const marks = useMemo(() => marksOf(findings, pointers), [findings, pointers]);
  const [most, setMost] = useState(FIRST_LINES);
  const element = useRef<HTMLPreElement>(null);
  const target = asked && nearest(asked.pointer, pointers);

  useEffect(() => {
    if (target === null || !found) return;
    const row = found.findIndex((line) => line.pointer === target);
    if (row >= most) setMost(row + MORE_LINES);
    requestAnimationFrame(() => {
      element.current?.children[row]?.scrollIntoView({ block: "center", behavior: "auto" });
    });
  }, [asked]);

  if (!found) return <pre class="json raw">{text ? visible(text) : "The text is not shown."}</pre>;
  return (
    <section class="message" aria-label="JSON">
      <CopyButton text={text} />
      <pre class="json" ref={element}>
        {found.slice(0, most).map((line, i) => (
          <JsonLine
            key={i}
            line={line}
            marked={mark(line.pointer, marks)}
            inside={line.closes || !marks.has(line.pointer)}
            target={asked !== null && !line.closes && line.pointer === target}
          />
        ))}
      </pre>
      {found.length > most && (
        <button type="button" class="wide" onClick={() => setMost(most + MORE_LINES)}>
          Show more of {found.length.toLocaleString("en")} lines
        </button>
      )}
    </section>
  );
}

interface JsonLineProps {
  line: Line;
  marked: Severity | null;
  inside: boolean;
  target: boolean;
}

function JsonLine({ line, marked, inside, target }: JsonLineProps) {
  const classes = [
    "line",
    marked && `marked ${marked}`,
    marked && inside && "inside",
    target && "target",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <span class={classes} style={{ "--indent": line.indent }}>
      {line.parts.map((part, i) =>
        part.kind === "mark" ? part.text : <Token key={i} kind={part.kind} text={part.text} />,
      )}
      {"\n"}
    </span>
  );
}

function Token({ kind, text }: { kind: string; text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > LONGEST_TOKEN;
  return (
    <bdi class={kind}>
      {visible(cut ? text.slice(0, LONGEST_TOKEN) : text)}
      {cut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </bdi>
  );
}

/** The worst severity at each pointer. */
function marksOf(findings: Finding[], pointers: ReadonlySet<string>): Map<string, Severity> {
  const marks = new Map<string, Severity>();
  for (const severity of [...SEVERITIES].reverse()) {
    for (const finding of findings) {
      if (finding.severity === severity && finding.pointer)
        marks.set(nearest(finding.pointer, pointers), severity);
    }
  }
  return marks;
}

/** The severity at a pointer or, for what is inside a value, at that of the value. */
function mark(pointer: string, marks: Map<string, Severity>): Severity | null {
  for (const [at, severity] of marks) {
    if (at && (pointer === at || pointer.startsWith(`${at}/`))) return severity;
  }
  return null;
}

function CopyButton({ text }: { text: string }) {
  const [state, setState] = useState("Copy");
  const copy = () => {
    const pretty = (() => {
      try {
        return (
          lines(text)
            ?.map((l) => "  ".repeat(l.indent) + l.parts.map((p) => p.text).join(""))
            .join("\n") ?? text
        );
      } catch {
        return text;
      }
    })();
    navigator.clipboard
      .writeText(pretty)
      .then(() => setState("Copied"))
      .catch(() => setState("Can't copy"))
      .finally(() => setTimeout(() => setState("Copy"), 1500));
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {state}
    </button>
  );
}
