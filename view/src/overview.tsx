import { useEffect, useRef, useState } from "preact/hooks";
import type { Session, Severity } from "./session";
import { HEAD, px, ROW } from "./lanes";
import { worst } from "./row";

const WIDTH = 16;
const MARK = 3;

interface Props {
  session: Session;
  rows: number[];
  selected: number | null;
  onJump: (index: number) => void;
}

/** The pixels of the strip for one pixel of the list: 1 where the whole list is in sight. */
const scale = (height: number, rows: number): number => Math.min(1, height / (HEAD + rows * ROW));

/** A strip beside the list that shows where in the whole session there are findings. */
export function Overview({ session, rows, selected, onJump }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [height, setHeight] = useState(0);
  const [scheme, setScheme] = useState(0);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    const restyle = () => setScheme((n) => n + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", restyle);
    const themes = new MutationObserver(restyle);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", restyle);
      themes.disconnect();
    };
  }, []);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !height) return;
    const ratio = devicePixelRatio || 1;
    element.width = WIDTH * ratio;
    element.height = height * ratio;
    context.scale(ratio, ratio);
    const style = getComputedStyle(element);
    const shrunk = scale(height, rows.length);
    const y = (row: number) => Math.floor((HEAD + (row + 0.5) * ROW) * shrunk - MARK / 2);
    const marks: [number, Severity][] = [];
    rows.forEach((index, row) => {
      const found = worst(session.findingsOf(index));
      if (found) marks.push([y(row), found.severity]);
    });
    const order: Severity[] = ["note", "warning", "recovered", "error"];
    marks.sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]));
    for (const [top, severity] of marks) {
      context.fillStyle = style.getPropertyValue(`--${severity}`);
      context.fillRect(3, top, WIDTH - 6, MARK);
    }
    const at = selected === null ? -1 : rows.indexOf(selected);
    if (at >= 0) {
      context.fillStyle = style.getPropertyValue("--accent");
      context.fillRect(0, y(at), WIDTH, 2);
    }
  }, [session, rows, selected, height, scheme]);

  const jump = (event: MouseEvent) => {
    const row = Math.floor((event.offsetY / scale(height, rows.length) - HEAD) / ROW);
    const index = rows[Math.max(0, Math.min(row, rows.length - 1))];
    if (index !== undefined) onJump(index);
  };
  return (
    <canvas
      ref={canvas}
      class="overview"
      style={{ width: px(WIDTH) }}
      onClick={jump}
      aria-hidden="true"
      title="Where the findings are"
    />
  );
}
