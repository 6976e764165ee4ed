/** The frame of the page: rail, bar, banner, one screen, dialogs. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { connection } from "./api";
import { type Key, startKeys, useKeys } from "./keys";
import { Icon } from "./parts/icons";
import { Question } from "./parts/question";
import { Head, Kbd, Page } from "./parts/ui";
import { words } from "./parts/words";
import { Palette } from "./palette";
import { Help, Menu } from "./menu";
import { go, link, type Route, screen, SCREENS, type Screen } from "./router";
import { clashes, notice, pending, projects } from "./state";
import { root } from "./api";
import { later } from "./later";
import { Live } from "./screens/live";
import { Review } from "./screens/review";
import { Memory } from "./screens/memory";

export const TITLES: Record<Screen, string> = {
  live: "Live", review: "Review", memory: "Memory", ledger: "Ledger", rules: "Rules", conflicts: "Conflicts", ask: "Ask", health: "Health",
};
const LETTERS: Record<Screen, string> = { live: "l", review: "r", memory: "m", ledger: "e", rules: "u", conflicts: "c", ask: "a", health: "h" };

const VIEWS: Record<Screen, (props: { route: Route }) => JSX.Element> = {
  live: Live, review: Review, memory: Memory, 
  ledger: later("Ledger"), rules: later("Rules"), conflicts: later("Conflicts"), ask: later("Ask"), health: later("Health"),
};


let openPalette: () => void = () => undefined;
startKeys(() => openPalette());

export function Shell({ route }: { route: Route }) {
  const [open, setOpen] = useState<"palette" | "help" | "menu" | null>(null);
  const close = (): void => setOpen(null);
  // A dialog gives the focus back when it goes; then what was chosen in it may move the focus.
  const chosen = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (open) return;
    const run = chosen.current;
    chosen.current = null;
    run?.();
  }, [open]);
  openPalette = () => setOpen("palette");
  const where = screen.value;
  const goKeys: Key[] = SCREENS.map((name) => ({ key: `g ${LETTERS[name]}`, label: `Go to ${TITLES[name]}`, run: () => go(link(name)) }));
  useKeys("Everywhere", [
    { key: "?", label: "Keyboard shortcuts", run: () => setOpen("help") },
    { key: "p", label: "Switch project", run: () => setOpen("menu") },
    ...goKeys,
  ]);

  useEffect(() => {
    document.title = `${TITLES[where]} · ${projectName()} · DMM`;
    // A new screen starts at its heading, for the keyboard and for screen readers.
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
  }, [where]);

  const View = VIEWS[where];
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <header class="bar">
        <span class="brand" aria-hidden="true">DMM</span>
        <button type="button" class="project" onClick={() => setOpen("menu")} aria-haspopup="dialog" aria-label={`Project ${projectName()}, switch or change settings`}>
          <span class="project-name">{words(projectName())}</span>
          <Icon name="chevron" />
        </button>
        <button type="button" class="find" onClick={() => setOpen("palette")} aria-haspopup="dialog" aria-label="Find or do something">
          <Icon name="search" /><span>Find</span><Kbd>Ctrl K</Kbd>
        </button>
      </header>
      <div class="banner" role="status">
        {connection.value === "lost" ? <p><strong>Lost connection to the daemon.</strong> Reconnecting. Your text is kept. To restart it, run <code>dmm ui</code></p> : null}
      </div>
      <nav class="rail" aria-label="Screens">
        <ul>
          {SCREENS.map((name) => (
            <li key={name}>
              <a href={link(name)} aria-current={name === where && !route.lost ? "page" : undefined} aria-label={labelOf(name)} title={`${TITLES[name]} (g ${LETTERS[name]})`}>
                <Icon name={name} />
                <span class="rail-name">{TITLES[name]}</span>
                {badge(name) ? [" ", <span class="badge">{badge(name)}</span>] : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {route.lost ? <Lost /> : <View route={route} />}
      </main>
      <div class="toasts">
        <div role="status">
          {notice.value ? <p class={`toast ${notice.value.tone}`}>{words(notice.value.text)}</p> : null}
        </div>
      </div>
      {open === "palette" ? <Palette onClose={close} onChosen={(run) => { chosen.current = run; close(); }} /> : null}
      {open === "help" ? <Help onClose={close} /> : null}
      {open === "menu" ? <Menu onClose={close} onHelp={() => setOpen("help")} /> : null}
      <Question />
    </div>
  );
}

function Lost() {
  return (
    <Page>
      <Head title="Nothing is at this address" />
      <p>It may belong to another version of DMM, or be cut off. <a href={link("live")}>Go to Live</a>, or find something with Ctrl K.</p>
    </Page>
  );
}

const badge = (name: Screen): number => (name === "review" ? pending.value : name === "conflicts" ? clashes.value : 0);

const labelOf = (name: Screen): string => {
  const waiting = badge(name);
  return waiting ? `${TITLES[name]}, ${waiting} ${name === "review" ? "waiting" : "unresolved"}` : TITLES[name];
};

const projectName = (): string => projects.value.find((one) => one.root === root.value)?.name ?? root.value.split("/").pop() ?? root.value;
