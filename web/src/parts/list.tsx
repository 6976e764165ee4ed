/** A list of any length: only the rows in sight exist. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface ListProps<T> {
  label: string;
  items: readonly T[];
  height: number;
  keyOf: (item: T) => string | number;
  row: (item: T, place: number) => ComponentChildren;
  selected?: number;
  /** Stay at the newest row while it is in sight. */
  follow?: boolean;
  onEnd?: () => void;
}

const SPARE = 8;

export function List<T>({ label, items, height, keyOf, row, selected, follow, onEnd }: ListProps<T>) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 600 });
  const atTop = useRef(true);

  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = (): void => {
      atTop.current = box.scrollTop < 4;
      setView({ top: box.scrollTop, size: box.clientHeight || 600 });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", measure);
    };
  }, []);

  useLayoutEffect(() => {
    const box = element.current;
    if (!box || selected === undefined || selected < 0) return;
    const top = selected * height;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
    // Also when the list gets smaller, as when something above it is drawn later.
  }, [selected, height, view.size]);

  useLayoutEffect(() => {
    if (follow && atTop.current && element.current) element.current.scrollTop = 0;
  }, [follow, items]);

  const first = Math.max(0, Math.floor(view.top / height) - SPARE);
  const last = Math.min(items.length, Math.ceil((view.top + view.size) / height) + SPARE);
  useEffect(() => {
    if (onEnd && items.length > 0 && last >= items.length) onEnd();
  }, [last, items.length]);

  return (
    <div class="list" ref={element} tabIndex={0} role="region" aria-label={label}>
      <ul class="list-rows" style={{ height: `${items.length * height}px` }}>
        {items.slice(first, last).map((item, offset) => (
          <li key={keyOf(item)} style={{ transform: `translateY(${(first + offset) * height}px)`, height: `${height}px` }} aria-setsize={items.length} aria-posinset={first + offset + 1}>
            {row(item, first + offset)}
          </li>
        ))}
      </ul>
    </div>
  );
}
