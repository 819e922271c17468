import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { counted, type Filter } from "./filter";
import { short, visible } from "./json";
import { laneTitle } from "./lanes";
import { Prose } from "./prose";
import { type Session, SEVERITIES } from "./session";
import type { Theme } from "./theme";

interface Props {
  session: Session;
  filter: Filter;
  shown: number;
  search: RefObject<HTMLInputElement | null>;
  theme: Theme;
  onFilter: (filter: Filter) => void;
  onTheme: () => void;
  onHelp: () => void;
}

const ICONS: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };
const number = (n: number) => n.toLocaleString("en");

export function Controls({
  session,
  filter,
  shown,
  search,
  theme,
  onFilter,
  onTheme,
  onHelp,
}: Props) {
  const methods = useMemo(
    () => counted(session.messages.map((m) => m.method?.name ?? "-")),
    [session],
  );
  const senders = useMemo(() => counted(session.messages.map((m) => m.from)), [session]);
  const rules = useMemo(() => counted(session.findings.map((f) => f.rule.id)), [session]);
  const change = (name: keyof Filter) => (value: string) => onFilter({ ...filter, [name]: value });
  return (
    <header class="bar-top">
      <div class="titles">
        <h1 title={session.title}>
          <bdi>{short(session.title, 80)}</bdi>
        </h1>
        <Tally session={session} filter={filter} onFilter={onFilter} />
        <span class="tools">
          <button
            type="button"
            class="plain"
            onClick={onTheme}
            aria-label={`Theme: ${theme}`}
            title={`Theme: ${theme} (t)`}
          >
            {ICONS[theme]}
          </button>
          <button type="button" class="plain" onClick={onHelp} aria-label="Help" title="Help (?)">
            ?
          </button>
        </span>
      </div>
      <div class="filters" role="search">
        <label class="words">
          <span class="sr-only">Words</span>
          <input
            ref={search}
            type="search"
            placeholder="Filter by words ( / )"
            spellcheck={false}
            value={filter.words}
            onInput={(event) => change("words")(event.currentTarget.value)}
          />
        </label>
        <Choice
          name="Method"
          value={filter.method}
          onChange={change("method")}
          options={methods.map(([name, n]) => [
            name,
            `${name === "-" ? "no method" : short(name, 60)} (${number(n)})`,
          ])}
        />
        <Choice
          name="Sender"
          value={filter.from}
          onChange={change("from")}
          options={senders.map(([name, n]) => [name, `${name} (${number(n)})`])}
        />
        <Choice
          name="Finding"
          value={filter.finding}
          onChange={change("finding")}
          options={[
            ...(rules.length
              ? [["any", `any (${number(session.findings.length)})`] as [string, string]]
              : []),
            ...rules.map(([id, n]) => [`:${id}`, `${id} (${number(n)})`] as [string, string]),
          ]}
          extra={SEVERITIES.includes(filter.finding as never) ? filter.finding : ""}
        />
        {session.connections.length > 1 && (
          <Choice
            name="Connection"
            value={filter.connection}
            onChange={change("connection")}
            options={session.connections.map((name, i) => [String(i), laneTitle(name)])}
          />
        )}
        <output aria-live="polite">
          {shown === session.messages.length
            ? number(shown)
            : `${number(shown)} of ${number(session.messages.length)}`}
          {session.messages.length === 1 ? " message" : " messages"}
        </output>
      </div>
      {session.notes.map((note) => (
        <p key={note} class="notice">
          <Prose text={visible(note)} />
        </p>
      ))}
    </header>
  );
}

const PLURALS = { error: "errors", recovered: "recovered", warning: "warnings", note: "notes" };

function Tally({ session, filter, onFilter }: Pick<Props, "session" | "filter" | "onFilter">) {
  const counts = SEVERITIES.map(
    (severity) =>
      [severity, session.findings.filter((f) => f.severity === severity).length] as const,
  );
  const some = counts.filter(([, count]) => count > 0);
  if (session.judged === 0 && some.length === 0) return <span class="tally">nothing is judged</span>;
  if (some.length === 0) return <span class={session.notes.length ? "tally" : "tally clean"}>no findings</span>;
  return (
    <span class="tally">
      {some.map(([severity, count]) => (
        <button
          key={severity}
          type="button"
          class={`badge ${severity}`}
          aria-pressed={filter.finding === severity}
          onClick={() =>
            onFilter({ ...filter, finding: filter.finding === severity ? "" : severity })
          }
        >
          {number(count)} {count === 1 ? severity : PLURALS[severity]}
        </button>
      ))}
    </span>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  options: [value: string, text: string][];
  extra?: string;
  onChange: (value: string) => void;
}

function Choice({ name, value, options, extra = "", onChange }: ChoiceProps) {
  return (
    <label class="choice">
      <span class="sr-only">{name}</span>
      <select
        value={value}
        class={value ? "set" : ""}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{name}: all</option>
        {extra && <option value={extra}>{extra}</option>}
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
