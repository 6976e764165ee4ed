/** The command palette: go anywhere, find a memory, look up a number, change a setting. */

import { useEffect, useRef, useState } from "preact/hooks";
import { address, request, root } from "./api";
import { Dialog } from "./parts/dialog";
import { words } from "./parts/words";
import { go, link, SCREENS } from "./router";
import { choose, keysOn, loadCounts, projects, setKeys, setTheme, theme } from "./state";
import type { MemoryRow, ProposalRow, Rule } from "./types";

interface Choice { title: string; detail: string; run: () => void }

const MOST = 30;
const PAUSE = 120;

export function Palette({ onClose, onChosen }: { onClose: () => void; onChosen: (run: () => void) => void }) {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Choice[]>([]);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => void look(query.trim(), control.signal).then((rows) => !control.signal.aborted && setFound(rows)), PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query]);

  const choices = [...numbered(query.trim()), ...fixed().filter((one) => fits(one, query)), ...found].slice(0, MOST);
  const place = Math.min(at, choices.length - 1);
  const run = (choice: Choice | undefined): void => {
    if (choice) onChosen(choice.run);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt(Math.min(choices.length - 1, place + 1));
    else if (event.key === "ArrowUp") setAt(Math.max(0, place - 1));
    else if (event.key === "Enter") run(choices[place]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find or do something" onClose={onClose}>
      <input
        ref={field}
        class="palette-field"
        role="combobox"
        aria-label="Find or do something"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={choices.length ? `choice-${place}` : undefined}
        placeholder="A screen, a memory, a rule, an event number …"
        value={query}
        onInput={(event) => { setQuery(event.currentTarget.value); setAt(0); }}
        onKeyDown={onKey}
        autoComplete="off"
        spellcheck={false}
      />
      <ul class="palette" id="palette-list" role="listbox" aria-label="Choices">
        {choices.map((one, number) => (
          <li key={`${one.title} ${one.detail}`} id={`choice-${number}`} role="option" aria-selected={number === place} onClick={() => run(one)} onMouseMove={() => setAt(number)}>
            <span>{words(one.title, 120)}</span><span class="quiet">{words(one.detail, 120)}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 ? <p class="quiet" role="status">No results. Try Ask.</p> : null}
    </Dialog>
  );
}

const fits = (choice: Choice, query: string): boolean => {
  const text = `${choice.title} ${choice.detail}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
};

function fixed(): Choice[] {
  const screens = SCREENS.map((name) => ({ title: name[0]?.toUpperCase() + name.slice(1), detail: "screen", run: () => go(link(name)) }));
  const others = projects.value.filter((one) => one.trusted && one.root !== root.value).map((one) => ({
    title: one.name,
    detail: `project ${one.root}`,
    run: () => { choose(one.root); void loadCounts(); },
  }));
  const themes = ["system", "light", "dark"].filter((name) => name !== theme.value).map((name) => ({ title: `Appearance: ${name}`, detail: "setting", run: () => setTheme(name) }));
  return [...screens, ...others, ...themes, { title: `Single keys: ${keysOn.value ? "off" : "on"}`, detail: "setting", run: () => setKeys(!keysOn.value) }];
}

/** A number is an event first of all. */
function numbered(query: string): Choice[] {
  const seq = /^#?(\d+)$/.exec(query)?.[1];
  if (!seq) return [];
  return [
    { title: `Event ${seq}`, detail: "ledger", run: () => go(link("ledger", seq)) },
    { title: `Pack ${seq}`, detail: "receipt", run: () => go(link("pack", seq)) },
  ];
}

/** Look a query up in memories, rules and proposals. */
async function look(query: string, signal: AbortSignal): Promise<Choice[]> {
  if (query.length < 2 && !/^\d+$/.test(query)) return [];
  const has = (text: string): boolean => text.toLowerCase().includes(query.toLowerCase());
  const asked = await Promise.allSettled([
    request<{ memories: MemoryRow[] }>(address("/v1/memories", { match: query }), { signal }),
    request<{ rules: Rule[] }>("/v1/rules", { signal }),
    request<{ proposals: ProposalRow[] }>("/v1/proposals", { signal }),
  ]);
  const [memories, rules, proposals] = asked;
  return [
    ...(memories.status === "fulfilled" ? memories.value.memories.slice(0, 8).map((one) => ({ title: one.title || one.path, detail: one.path, run: () => go(link("memory", one.path)) })) : []),
    ...(rules.status === "fulfilled" ? rules.value.rules.filter((one) => has(one.title) || has(one.id)).slice(0, 6).map((one) => ({ title: one.title, detail: `rule ${one.id}`, run: () => go(link("rules", one.id)) })) : []),
    ...(proposals.status === "fulfilled" ? proposals.value.proposals.filter((one) => has(one.path) || has(one.id)).slice(0, 6).map((one) => ({ title: one.path, detail: one.id, run: () => go(link("review", one.id)) })) : []),
    { title: `Ask: ${query}`, detail: "memory, sessions, code", run: () => go(link("ask", "", { q: query })) },
  ];
}
