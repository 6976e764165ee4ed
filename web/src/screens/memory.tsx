/** Memory: the tree, a search, and a task to try with its receipt. */

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api";
import { useKeys } from "../keys";
import { List } from "../parts/list";
import { Empty, Head, Loading, Problem, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { go, link, type Route } from "../router";
import { baseName, count, folderOf, plural } from "../text";
import type { MemoryRow } from "../types";
import { MemoryPage } from "./memory_page";
import { TryTask } from "./try_task";

interface Folder { path: string; count: number; tokens: number }
interface Folders { folders: Folder[]; total: number; tokens: number }
interface Rows { memories: MemoryRow[]; more: number }

const PAUSE = 200;
const ROW = 46;

export function Memory({ route }: { route: Route }) {
  const tree = useGet<Folders>("/v1/memories");
  useNews(/^(Memory|Proposal|Write)/, tree.reload);
  const [typed, setTyped] = useState("");
  const [match, setMatch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setMatch(typed.trim().length > 1 ? typed.trim() : ""), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  useKeys("Memory", [{ key: "/", label: "Search memories", run: () => field.current?.focus() }]);
  const chosen = route.rest.endsWith(".md") ? route.rest : "";
  const folder = chosen ? folderOf(chosen) : route.rest;
  const inside = route.rest.endsWith(".md") || route.parameters.has("try");
  return (
    <div class={`split ${inside ? "inside" : ""}`}>
      <section class="side fixed" aria-label="Memories">
        <Head title="Memory" facts={tree.data ? `${plural(tree.data.total, "memory", "memories")} · ${count(tree.data.tokens)} tok` : null} line="dmm status" json="/v1/memories" />
        <div class="side-field">
          <input ref={field} type="search" aria-label="Search memories" placeholder="Search titles, paths, tags  /" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </div>
        {tree.data?.total && !match ? (
          <nav class="rows" aria-label="Try">
            <a class="row" href="#/memory?try=" aria-current={!chosen && !route.rest ? "true" : undefined}>
              <span class="row-main">Try a task</span>
              <span class="row-sub">What an agent would be given for it, and why</span>
            </a>
          </nav>
        ) : null}
        {tree.error ? <Problem error={tree.error} retry={tree.reload} line="dmm status" /> : null}
        {tree.loading ? <Loading /> : null}
        {tree.data?.total === 0 ? <Empty title="No memory yet" line="dmm import CLAUDE.md">Split the instruction file you have, or keep a first note with <code>dmm remember</code>.</Empty> : null}
        {match ? <Found match={match} chosen={chosen} /> : tree.data ? <Tree folders={tree.data.folders} open={folder} chosen={chosen} /> : null}
      </section>
      <div class={`detail ${inside ? "" : "later"}`}>
        {chosen ? <MemoryPage key={chosen} path={chosen} /> : <TryTask task={route.parameters.get("try") ?? ""} ready={tree.data !== undefined} />}
      </div>
    </div>
  );
}

interface Branch { path: string; name: string; count: number; own: number; inside: string[] }

const MOST_FOLDERS = 150;
const FEW_FOLDERS = 40;

/** The folders directly below one, with all that lies in them. */
function branches(folders: Folder[], above: string): Branch[] {
  // A few folders stand in one list, by their whole paths.
  if (folders.length <= FEW_FOLDERS) return folders.map((one) => ({ path: one.path, name: one.path, count: one.count, own: one.count, inside: [] })).sort((a, b) => a.name.localeCompare(b.name));
  const found = new Map<string, Branch>();
  const start = above ? `${above}/` : "";
  for (const one of folders) {
    if (!one.path.startsWith(start)) continue;
    const name = one.path.slice(start.length).split("/", 1)[0] ?? "";
    if (!name) continue;
    const path = `${start}${name}`;
    const branch = found.get(path) ?? { path, name, count: 0, own: 0, inside: [] };
    branch.count += one.count;
    if (one.path === path) branch.own = one.count;
    else branch.inside.push(one.path);
    found.set(path, branch);
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

function Tree({ folders, open, chosen }: { folders: Folder[]; open: string; chosen: string }) {
  return (
    <div class="tree" role="region" aria-label="Folders" tabIndex={0}>
      <Level folders={folders} above="" open={open} chosen={chosen} />
    </div>
  );
}

function Level({ folders, above, open, chosen }: { folders: Folder[]; above: string; open: string; chosen: string }) {
  const rows = branches(folders, above);
  return (
    <ul>
      {rows.slice(0, MOST_FOLDERS).map((one) => {
        const shown = open === one.path || open.startsWith(`${one.path}/`);
        return (
          <li key={one.path}>
            <a class="row folder" href={link("memory", open === one.path && !chosen ? above : one.path)} aria-expanded={shown}>
              <span class="row-main"><span class="caret" aria-hidden="true">{shown ? "▾" : "▸"}</span>{words(one.name, 120)}<span class="row-end">{count(one.count)}</span></span>
            </a>
            {shown && one.inside.length > 0 ? <Level folders={folders} above={one.path} open={open} chosen={chosen} /> : null}
            {shown && one.own && open === one.path ? <Inside folder={one.path} chosen={chosen} /> : null}
          </li>
        );
      })}
      {rows.length > MOST_FOLDERS ? <li class="quiet">{count(rows.length - MOST_FOLDERS)} more folders; search to find what is in them.</li> : null}
    </ul>
  );
}

function Inside({ folder, chosen }: { folder: string; chosen: string }) {
  const found = useGet<Rows>(address("/v1/memories", { folder }));
  useNews(/^(Memory|Proposal|Write)/, found.reload);
  if (found.error) return <Problem error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading />;
  return <Memories rows={found.data.memories} more={found.data.more} chosen={chosen} label={`Memories in ${folder}`} />;
}

function Found({ match, chosen }: { match: string; chosen: string }) {
  const found = useGet<Rows>(address("/v1/memories", { match }));
  if (found.error) return <Problem error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading />;
  if (found.data.memories.length === 0) return <Empty title="Nothing fits these words">Try the words of a task instead: what an agent would be given.</Empty>;
  return <Memories rows={found.data.memories} more={found.data.more} chosen={chosen} label={`Memories that match ${match}`} />;
}

function Memories({ rows, more, chosen, label }: { rows: MemoryRow[]; more: number; chosen: string; label: string }) {
  const place = rows.findIndex((one) => one.path === chosen);
  const move = (by: number): void => {
    const to = rows[Math.min(rows.length - 1, Math.max(0, place + by))];
    if (to) go(link("memory", to.path));
  };
  useKeys("Memories", [
    { key: "j", label: "Next memory", run: () => move(1) },
    { key: "k", label: "Previous memory", run: () => move(-1) },
  ]);
  return (
    <div class="memories" style={{ height: `min(${rows.length * ROW + 4}px, 60vh)` }}>
      <List label={label} items={rows} height={ROW} keyOf={(one) => one.path} selected={place} row={(one) => <MemoryLine memory={one} chosen={one.path === chosen} />} />
      {more ? <p class="quiet">{count(more)} more; search to narrow down.</p> : null}
    </div>
  );
}

function MemoryLine({ memory, chosen }: { memory: MemoryRow; chosen: boolean }) {
  return (
    <a class="row memory-line" href={link("memory", memory.path)} aria-current={chosen ? "true" : undefined} title={memory.path}>
      <span class="row-main"><span class="cut">{words(memory.title || baseName(memory.path), 160)}</span></span>
      <span class="row-sub">
        <span class="cut">{words(baseName(memory.path), 80)}</span>
        <span>{count(memory.tokens)} tok</span>
        {memory.stale ? <Tag tone="warn">code changed</Tag> : null}
        {memory.conflicts ? <Tag tone="block">conflict</Tag> : null}
        {memory.status !== "active" ? <Tag>{memory.status}</Tag> : null}
      </span>
    </a>
  );
}
