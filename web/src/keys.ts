/** Single keys: layers of bindings, the newest first, off while somebody types. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keysOn } from "./state";

export interface Key { key: string; label: string; run: () => void; when?: boolean }

interface Layer { title: string; keys: Key[] }

/** The bindings that are in force, for the list of keys. */
export const layers = signal<Layer[]>([]);
let prefix = "";
let prefixTimer: ReturnType<typeof setTimeout> | undefined;

/** Bind keys while a component is shown. */
export function useKeys(title: string, keys: Key[]): void {
  const layer = useRef<Layer>({ title, keys });
  layer.current.keys = keys;
  layer.current.title = title;
  useEffect(() => {
    const own = layer.current;
    layers.value = [own, ...layers.peek()];
    return () => {
      layers.value = layers.peek().filter((one) => one !== own);
    };
  }, []);
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function find(name: string): Key | undefined {
  for (const layer of layers.peek()) {
    const found = layer.keys.find((one) => one.key === name && one.when !== false);
    if (found) return found;
  }
  return undefined;
}

export function startKeys(openPalette: () => void): void {
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || (typing(event.target) && event.key !== "Escape")) return;
    if (!keysOn.value && event.key.length === 1) return;
    // Enter and Space on a focused control belong to that control.
    const control = event.target instanceof HTMLElement && event.target.closest("a[href], button, summary, [role=slider]");
    if (control && (event.key === "Enter" || event.key === " ")) return;
    const name = prefix ? `${prefix} ${event.key}` : event.key;
    clearTimeout(prefixTimer);
    prefix = "";
    const found = find(name);
    if (found) {
      event.preventDefault();
      found.run();
    } else if (name === "g") {
      prefix = "g";
      prefixTimer = setTimeout(() => {
        prefix = "";
      }, 1200);
    }
  });
}
