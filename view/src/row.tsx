import { geometry, lifeline, NARROW_FINDINGS, px, ROOMY_LANE, ROW, THREAD } from "./lanes";
import { short } from "./json";
import { type Finding, type Message, type Session, SEVERITIES } from "./session";
import type { Bar, Thread } from "./tracks";

type Geometry = ReturnType<typeof geometry>;

export const rowId = (index: number): string => `message-${index}`;

export function time(seconds: number): string {
  const sign = seconds < 0 ? "−" : "+";
  const size = Math.abs(seconds);
  if (size < 60) return `${sign}${size.toFixed(3)}`;
  const whole = Math.floor(size);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const text = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return `${sign}${text.replace(/^00:/, "")}`;
}

/** What a message is called: first what tells it from its neighbours, then the rest. */
export function label(message: Message): { name: string; detail: string } {
  const method = message.method ? short(message.method.name, 60) : "";
  const detail = short(message.detail, 60);
  switch (message.kind) {
    case "unreadable":
      return { name: "not a message", detail: "" };
    case "result":
      return { name: method || "answer to nothing", detail: "result" };
    case "error":
      return { name: `error ${detail}`.trim(), detail: method || "answer to nothing" };
    default:
      return detail ? { name: detail, detail: method } : { name: method || "?", detail: "" };
  }
}

export function worst(findings: readonly Finding[]): Finding | undefined {
  return [...findings].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  )[0];
}

export const hue = (key: number): number => Math.round((key * 137.508 + 210) % 360);

interface Props {
  session: Session;
  message: Message;
  geometry: Geometry;
  top: number;
  position: number;
  count: number;
  bars: readonly Bar[];
  threads: readonly Thread[];
  selected: boolean;
  related: boolean;
  onSelect: (index: number) => void;
}

export function Row(props: Props) {
  const { session, message, geometry, top, selected, related } = props;
  const findings = session.findingsOf(message.index);
  const found = worst(findings);
  const classes = [
    "row",
    message.kind,
    selected && "selected",
    related && "related",
    found && `has-${found.severity}`,
  ];
  return (
    <div
      id={rowId(message.index)}
      role="option"
      aria-selected={selected}
      aria-posinset={props.position + 1}
      aria-setsize={props.count}
      class={classes.filter(Boolean).join(" ")}
      style={{ transform: `translateY(${top}px)`, width: px(geometry.width) }}
      onClick={() => props.onSelect(message.index)}
    >
      <span class="gutter" style={{ width: px(geometry.start) }}>
        <span class="number" style={{ width: px(geometry.number) }}>
          {message.label}
        </span>
        {geometry.time > 0 && message.at !== null && <span class="time">{time(message.at)}</span>}
        {geometry.threads > 0 && <Threads {...props} />}
      </span>
      {props.bars.map((bar) => (
        <i
          key={bar.first}
          class={bar.failed ? "bar failed" : "bar"}
          style={barStyle(bar, message.index, geometry)}
        />
      ))}
      <Arrow message={message} geometry={geometry} attempt={attempt(session, message)} />
      {found && (
        <span
          class="findings"
          style={{ width: px(geometry.findings), left: px(geometry.sight - geometry.findings) }}
        >
          {geometry.findings > NARROW_FINDINGS ? (
            <>
              <b class={`badge ${found.severity}`}>{found.rule.id}</b>
              {findings.length > 1 && <b class="more">+{findings.length - 1}</b>}
              <span class="why">{short(sentence(found), 200)}</span>
            </>
          ) : (
            <b class={`badge ${found.severity}`} title={found.rule.id}>
              {findings.length}
            </b>
          )}
        </span>
      )}
    </div>
  );
}

/** What is wrong with which member: the text of a finding says it of the member at its pointer. */
function sentence({ pointer, text }: Finding): string {
  const member = pointer.slice(pointer.lastIndexOf("/") + 1);
  return `${member.replaceAll("~1", "/").replaceAll("~0", "~")} ${text}`.trim();
}

function attempt(session: Session, message: Message): string {
  const attempts =
    message.key < 0 || message.kind !== "request" ? [] : session.attempts(message.key);
  return attempts.length > 1 ? `${attempts.indexOf(message.index) + 1}/${attempts.length}` : "";
}

function barStyle(bar: Bar, index: number, { start, lane }: Geometry) {
  const outwards = bar.side === "client" ? -1 : 1;
  const x = start + bar.connection * lane + lifeline(bar.side, lane) + outwards * bar.depth * 6 - 2;
  const top = index === bar.first ? ROW / 2 : 0;
  const bottom = index === bar.last ? ROW / 2 : 0;
  return { left: px(x), top: px(top), bottom: px(bottom) };
}

function Threads({ message, threads, geometry }: Props) {
  return (
    <svg
      class="threads"
      width={geometry.threads}
      height={ROW}
      style={{ left: px(geometry.number + geometry.time) }}
      aria-hidden="true"
    >
      {threads.map((thread) => {
        const x = thread.track * THREAD + THREAD / 2 + 3;
        const from = message.index === thread.first ? ROW / 2 : 0;
        const to = message.index === thread.last ? ROW / 2 : ROW;
        return (
          <g key={thread.first} style={{ color: `oklch(var(--thread) ${hue(thread.key)})` }}>
            <line x1={x} x2={x} y1={from} y2={to} />
            {message.key === thread.key && message.kind === "request" && (
              <circle cx={x} cy={ROW / 2} r="4.5" />
            )}
          </g>
        );
      })}
    </svg>
  );
}

function Arrow({
  message,
  geometry,
  attempt,
}: {
  message: Message;
  geometry: Geometry;
  attempt: string;
}) {
  const { lane, start } = geometry;
  const from = lifeline(message.from, lane);
  const to = lifeline(message.to, lane);
  const { name, detail } = label(message);
  const middle = ROW / 2;
  const direction = Math.sign(to - from);
  const text = (
    <span class="label" style={labelStyle(from, to, lane)}>
      <span class="words">
        <bdi class="name">{name}</bdi>
        {detail && lane >= ROOMY_LANE && <bdi class="detail">{detail}</bdi>}
        {attempt && (
          <b
            class="attempt"
            style={{ "--hue": hue(message.key) }}
            title="attempt of all under this key"
          >
            {attempt}
          </b>
        )}
      </span>
    </span>
  );
  return (
    <span class="lane" style={{ left: px(start + message.connection * lane), width: px(lane) }}>
      <svg width={lane} height={ROW} class={`arrow from-${message.from}`} aria-hidden="true">
        {direction === 0 ? (
          <circle cx={from} cy={middle} r="4" />
        ) : (
          <>
            <line x1={from} x2={to - direction * 5} y1={middle} y2={middle} />
            <path
              d={`M${to - direction * 8} ${middle - 4}L${to - direction} ${middle}L${to - direction * 8} ${middle + 4}`}
            />
          </>
        )}
      </svg>
      <span class="sr-only">{`${message.from} to ${message.to}: `}</span>
      {text}
    </span>
  );
}

function labelStyle(from: number, to: number, lane: number) {
  if (from === to) return { left: "0", width: px(lane) };
  const left = Math.min(from, to) + 8;
  return { left: px(left), width: px(Math.abs(to - from) - 16) };
}
