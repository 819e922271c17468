import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { geometry, HEAD, laneTitle, lifeline, px, ROW } from "./lanes";
import { Overview } from "./overview";
import { Row, rowId } from "./row";
import type { Session, Side } from "./session";
import type { Tracks } from "./tracks";
import { useVirtualRows } from "./virtual";

interface Props {
  session: Session;
  tracks: Tracks;
  rows: number[];
  selected: number | null;
  related: ReadonlySet<number>;
  onSelect: (index: number) => void;
}

export function List({ session, tracks, rows, selected, related, onSelect }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const available = useWidth(scroller);
  const places = geometry(session, available, tracks.width);
  const { items, height, reveal } = useVirtualRows(scroller, rows.length, ROW, HEAD);
  const position = selected === null ? -1 : rows.indexOf(selected);

  useEffect(() => {
    if (position >= 0) reveal(position);
  }, [position, rows]);

  useLayoutEffect(() => {
    const message = selected === null ? undefined : session.messages[selected];
    const element = scroller.current;
    if (!message || !element || places.width <= element.clientWidth) return;
    const left = places.start + message.connection * places.lane;
    const inSight =
      left >= element.scrollLeft + places.start - 1 &&
      left + places.lane <= element.scrollLeft + element.clientWidth - places.findings;
    if (!inSight) element.scrollLeft = left - places.start;
  }, [selected]);

  return (
    <div class="session">
      <div
        ref={scroller}
        class="scroller"
        role="listbox"
        tabIndex={0}
        aria-label="Messages"
        aria-activedescendant={position >= 0 ? rowId(selected ?? 0) : undefined}
      >
        <div
          class="heads"
          style={{ width: px(places.width), height: px(HEAD) }}
          role="presentation"
        >
          <span class="corner" style={{ width: px(places.start) }}>
            {session.messages.every((message) => message.label.startsWith("#")) ? "no." : "line"}
          </span>
          {session.connections.map((name, connection) => (
            <Head
              key={connection}
              name={name}
              connections={session.connections.length}
              places={places}
              connection={connection}
              sides={sides(session, connection)}
            />
          ))}
        </div>
        <div
          class="rows"
          style={{ height: px(height), width: px(places.width) }}
          role="presentation"
        >
          {session.connections.flatMap((_, connection) =>
            sides(session, connection).map((side) => (
              <i
                key={`${connection} ${side}`}
                class="lifeline"
                style={{
                  left: px(places.start + connection * places.lane + lifeline(side, places.lane)),
                }}
              />
            )),
          )}
          {items.map((item) => {
            const message = session.messages[rows[item.index] ?? -1];
            if (!message) return null;
            return (
              <Row
                key={message.index}
                session={session}
                message={message}
                geometry={places}
                top={item.start - HEAD}
                position={item.index}
                count={rows.length}
                bars={tracks.bars[message.index] ?? []}
                threads={tracks.threads[message.index] ?? []}
                selected={message.index === selected}
                related={related.has(message.index)}
                onSelect={onSelect}
              />
            );
          })}
        </div>
        {rows.length === 0 && (
          <p class="empty">No message passes the filter. Press Esc to show all.</p>
        )}
      </div>
      <Overview session={session} rows={rows} selected={selected} onJump={onSelect} />
    </div>
  );
}

interface HeadProps {
  name: string;
  connections: number;
  connection: number;
  places: ReturnType<typeof geometry>;
  sides: readonly Side[];
}

function Head({ name, connections, connection, places, sides }: HeadProps) {
  return (
    <span
      class="head"
      style={{ left: px(places.start + connection * places.lane), width: px(places.lane) }}
    >
      <bdi class="connection">{connections > 1 ? laneTitle(name) : ""}</bdi>
      {sides.map((side) => (
        <span key={side} class={`side ${side}`} style={{ left: px(lifeline(side, places.lane)) }}>
          {side}
        </span>
      ))}
    </span>
  );
}

const known = new WeakMap<Session, Side[][]>();

/** The sides that take part in a connection. */
function sides(session: Session, connection: number): readonly Side[] {
  let all = known.get(session);
  if (!all) {
    const found = session.connections.map(() => new Set<Side>(["client", "agent"]));
    for (const message of session.messages) {
      found[message.connection]?.add(message.from);
      found[message.connection]?.add(message.to);
    }
    all = found.map((each) => [...each].filter((side) => side !== "unknown"));
    known.set(session, all);
  }
  return all[connection] ?? [];
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    const found = element.current;
    if (!found) return;
    const measure = () => setWidth(found.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(found);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}
