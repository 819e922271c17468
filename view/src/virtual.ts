/** The rows of a long list that are in sight, as a hook around TanStack Virtual. */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

export interface VirtualRows {
  items: VirtualItem[];
  height: number;
  reveal: (row: number, where?: "auto" | "center") => void;
}

export function useVirtualRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headHeight: number,
): VirtualRows {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    observeElementOffset,
    observeElementRect,
    onChange: () => redraw(0),
    overscan: 10,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight + rowHeight,
    scrollPaddingEnd: rowHeight,
    scrollToFn: elementScroll,
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    reveal: (row, where = "auto") => virtualizer.scrollToIndex(row, { align: where }),
  };
}
