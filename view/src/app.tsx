import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./controls";
import { EVERYTHING, type Filter, isEverything, shown } from "./filter";
import { Help } from "./help";
import { List } from "./list";
import { Pane } from "./pane";
import type { Session } from "./session";
import { applyTheme, nextTheme, savedTheme } from "./theme";
import { tracks } from "./tracks";

const PAGE = 20;
const PATIENCE = 120;

export function App({ session }: { session: Session }) {
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const applied = useDelayed(filter);
  const [selected, setSelected] = useState<number | null>(() => fromAddress(session));
  // Several keys may be pressed before the page is drawn again.
  const current = useRef(selected);
  const select = (index: number | null) => {
    current.current = index;
    setSelected(index);
  };
  const [help, setHelp] = useState(false);
  const [theme, setTheme] = useState(savedTheme);
  const search = useRef<HTMLInputElement>(null);
  const lines = useMemo(() => tracks(session), [session]);
  const rows = useMemo(() => shown(session, applied), [session, applied]);
  const related = useMemo(() => relatedTo(session, selected), [session, selected]);
  const message = selected === null ? undefined : session.messages[selected];

  useEffect(() => applyTheme(theme), [theme]);
  useEffect(() => toAddress(message?.label), [message]);

  /** Select a message; where the filter hides it, show everything. */
  const visit = (index: number) => {
    if (!rows.includes(index)) setFilter(EVERYTHING);
    select(index);
  };

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (help || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (event.key === "Escape") {
        if (target === search.current && filter.words) setFilter({ ...filter, words: "" });
        else if (target.matches("input, select")) target.blur();
        else if (current.current !== null) select(null);
        else setFilter(EVERYTHING);
      } else if (target.matches("input, select, textarea")) {
        if (event.key !== "Enter" || target !== search.current) return;
        target.blur();
        const first = shown(session, filter)[0];
        if (first !== undefined) select(first);
      } else {
        const act = actions(event.key);
        if (!act) return;
        act();
      }
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  function actions(key: string): (() => void) | undefined {
    const here = current.current;
    const message = here === null ? undefined : session.messages[here];
    const at = here === null ? -1 : rows.indexOf(here);
    const go = (row: number) => () =>
      select(rows[Math.max(0, Math.min(row, rows.length - 1))] ?? null);
    const finding = (step: number) => () => {
      for (let row = at + step; row >= 0 && row < rows.length; row += step) {
        const index = rows[row] ?? 0;
        if (session.findingsOf(index).length) return select(index);
      }
    };
    const partner = () => {
      if (message && message.partner >= 0) visit(message.partner);
    };
    const attempt = () => {
      const all = message && message.key >= 0 ? session.attempts(message.key) : [];
      const next = all.find((index) => index > (here ?? 0)) ?? all[0];
      if (next !== undefined) visit(next);
    };
    const keys: Record<string, () => void> = {
      ArrowDown: go(at + 1),
      j: go(at + 1),
      ArrowUp: go(at - 1),
      k: go(at - 1),
      PageDown: go(at + PAGE),
      PageUp: go(at - PAGE),
      Home: go(0),
      g: go(0),
      End: go(rows.length - 1),
      G: go(rows.length - 1),
      n: finding(1),
      N: finding(-1),
      o: partner,
      r: attempt,
      t: () => setTheme(nextTheme(theme)),
      "/": () => search.current?.select(),
      "?": () => setHelp(true),
    };
    return keys[key];
  }

  return (
    <>
      <Controls
        session={session}
        filter={filter}
        shown={rows.length}
        search={search}
        theme={theme}
        onFilter={setFilter}
        onTheme={() => setTheme(nextTheme(theme))}
        onHelp={() => setHelp(true)}
      />
      <main class={message ? "with-pane" : ""}>
        <List
          session={session}
          tracks={lines}
          rows={rows}
          selected={selected}
          related={related}
          onSelect={select}
        />
        {message && (
          <Pane session={session} message={message} onSelect={visit} onClose={() => select(null)} />
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
      {isEverything(filter) ? null : <span class="sr-only">The list is filtered.</span>}
    </>
  );
}

/** The filter, once no letter was typed for a moment. */
function useDelayed(filter: Filter): Filter {
  const [applied, setApplied] = useState(filter);
  useEffect(() => {
    if (filter.words === applied.words) {
      setApplied(filter);
      return;
    }
    const timer = setTimeout(() => setApplied(filter), PATIENCE);
    return () => clearTimeout(timer);
  }, [filter]);
  return applied;
}

/** The other messages that a message belongs to: its request or answer, and attempts with its key. */
function relatedTo(session: Session, selected: number | null): ReadonlySet<number> {
  const message = selected === null ? undefined : session.messages[selected];
  if (!message) return new Set();
  const attempts = message.key < 0 ? [] : session.attempts(message.key);
  return new Set([...attempts, message.partner].filter((index) => index >= 0));
}

function fromAddress(session: Session): number | null {
  const [, sort, number] = location.hash.match(/^#([LM])(\d+)$/) ?? [];
  const label = sort === "M" ? `#${number}` : number;
  return session.messages.find((message) => message.label === label)?.index ?? null;
}

/** Keep the selected message in the address, so that a copy of it leads there. */
function toAddress(label: string | undefined): void {
  const place = label?.startsWith("#") ? `#M${label.slice(1)}` : `#L${label}`;
  try {
    history.replaceState(null, "", label === undefined ? "#" : place);
  } catch {
    // A browser may refuse this for a file.
  }
}
