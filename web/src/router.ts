/** Addresses of the page: everything that can be looked at is a hash. */

import { computed, signal } from "@preact/signals";

export const SCREENS = ["live", "review", "memory", "ledger", "rules", "conflicts", "ask", "health"] as const;
export type Screen = (typeof SCREENS)[number];

export interface Route {
  screen: Screen | "pack" | "session";
  /** What follows the screen's name, decoded. */
  rest: string;
  parameters: URLSearchParams;
  /** Whether nothing is at this address. */
  lost: boolean;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

export const route = computed<Route>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?", 2);
  const [first = "", ...rest] = path.split("/");
  const known = (SCREENS as readonly string[]).includes(first) || ["pack", "session"].includes(first);
  return {
    screen: known ? (first as Route["screen"]) : "live",
    lost: first !== "" && !known,
    rest: rest.map(decode).join("/"),
    parameters: new URLSearchParams(query),
  };
});

/** The entry of the rail that a route belongs to. */
export const screen = computed<Screen>(() => {
  const name = route.value.screen;
  return name === "pack" || name === "session" ? "live" : name;
});

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Write the address of something, such as link("memory", "project/auth/x.md"). */
export function link(name: Route["screen"], rest: string | number = "", parameters: Record<string, string | number | null | undefined> = {}): string {
  const path = String(rest).split("/").map(encodeURIComponent).join("/");
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([key, value]) => (value === null || value === undefined || value === "" ? [] : [[key, String(value)]])),
  ).toString();
  return `#/${name}${path ? `/${path}` : ""}${query ? `?${query}` : ""}`;
}

export function go(to: string, replace = false): void {
  if (to === location.hash) return;
  if (replace) {
    history.replaceState(null, "", to);
    hash.value = to;
  } else location.hash = to;
}
