import { useLayoutEffect, useRef } from "preact/hooks";

const KEYS: [keys: string[], what: string][] = [
  [["↓", "j"], "next message"],
  [["↑", "k"], "previous message"],
  [["Page ↓", "Page ↑"], "a page on, a page back"],
  [["g", "G"], "first, last message"],
  [["n", "N"], "next, previous finding"],
  [["o"], "from a request to its answer, and back"],
  [["r"], "next attempt with the same key"],
  [["/"], "filter by words"],
  [["t"], "light, dark, or as the system has it"],
  [["Esc"], "close the pane, then clear the filter"],
  [["?"], "this help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      onClose={onClose}
      onClick={(e) => e.target === dialog.current && onClose()}
      aria-label="Help"
    >
      <form method="dialog">
        <h2>Keys</h2>
        <button type="submit" class="plain" aria-label="Close">
          ✕
        </button>
      </form>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="legend">
        <span class="sample request" /> request <span class="sample notification" /> notification{" "}
        <span class="sample result" /> result <span class="sample error" /> error
      </p>
      <p>
        A bar on a side's line runs from a request to its answer. Dots on one coloured line, at the
        left, are attempts with one idempotency key. This page asks the network for nothing.
      </p>
    </dialog>
  );
}
