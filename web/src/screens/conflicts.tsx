/** Conflicts: memories that can't both be followed, side by side, and how to settle them. */

import { useState } from "preact/hooks";
import { ApiError } from "../api";
import { useKeys } from "../keys";
import { useJob, JobProgress } from "../parts/job";
import { Markdown } from "../parts/markdown";
import { TeamTold } from "../parts/team";
import { Button, Empty, Head, Loading, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { decide, Withdrawn } from "../proof";
import { useGet, useNews } from "../resource";
import { go, link, type Route } from "../router";
import { clashes, tell } from "../state";
import { baseName, count, numberOf, score } from "../text";
import type { Node } from "../types";

interface Side { path: string; id?: string; title: string; text?: string; body?: Node[]; quote?: string | null }
interface Conflict {
  conflict_id: string;
  type: string;
  status: string;
  description?: string | null;
  confidence?: number | null;
  sure?: boolean;
  memories: { path: string; id?: string; title?: string }[];
  sides?: Side[];
  resolution?: unknown;
  digest?: string;
}

export function Conflicts({ route }: { route: Route }) {
  const found = useGet<{ conflicts: Conflict[]; unresolved: number }>("/v1/conflicts");
  const scan = useJob();
  useNews(/^(Conflict|Memory|Write)/, found.reload);
  const rows = found.data?.conflicts ?? [];
  if (found.data && clashes.value !== found.data.unresolved) clashes.value = found.data.unresolved;
  const chosen = route.rest || rows[0]?.conflict_id || "";
  const place = rows.findIndex((one) => one.conflict_id === chosen);
  const move = (by: number): void => {
    const to = rows[Math.min(rows.length - 1, Math.max(0, place + by))];
    if (to) go(link("conflicts", to.conflict_id));
  };
  useKeys("Conflicts", [
    { key: "j", label: "Next conflict", run: () => move(1) },
    { key: "k", label: "Previous conflict", run: () => move(-1) },
  ]);
  const run = async (): Promise<void> => {
    await scan.start({ kind: "scan" });
  };
  return (
    <div class={`split ${route.rest ? "inside" : ""}`}>
      <section class="side" aria-label="Conflicts">
        <Head title="Conflicts" facts={found.data ? `${count(found.data.unresolved)} unresolved` : null} line="dmm conflicts list" json="/v1/conflicts" />
        <div class="side-field"><Button onClick={() => void run()} disabled={scan.running}>Scan now</Button><JobProgress job={scan} /></div>
        {scan.error ? <Problem error={scan.error} line="dmm conflicts scan" /> : null}
        {found.error ? <Problem error={found.error} retry={found.reload} /> : null}
        {found.loading ? <Loading /> : null}
        <nav class="rows" aria-label="Unresolved conflicts">
          {rows.map((one) => (
            <a class="row" key={one.conflict_id} href={link("conflicts", one.conflict_id)} aria-current={one.conflict_id === chosen ? "true" : undefined}>
              <span class="row-main"><span class="cut">{one.memories.map((side) => baseName(side.path)).join(" ↔ ")}</span></span>
              <span class="row-sub">{one.type.replaceAll("_", " ")}{one.confidence ? <span>{score(one.confidence)}</span> : null}<Tag tone={one.sure === false ? "warn" : "block"}>{one.sure === false ? "possible" : "sure"}</Tag></span>
            </a>
          ))}
        </nav>
      </section>
      <div class={`detail ${chosen ? "" : "later"}`}>
        {chosen ? <ConflictPage key={chosen} id={chosen} onDone={() => { found.reload(); go(link("conflicts")); }} /> : found.data ? (
          <Empty title="No conflict is known" line="dmm conflicts scan">Memories are compared after each write. A scan compares all of them again.</Empty>
        ) : null}
      </div>
    </div>
  );
}

function ConflictPage({ id, onDone }: { id: string; onDone: () => void }) {
  const found = useGet<Conflict>(`/v1/conflicts/${encodeURIComponent(id)}`);
  const line = `dmm conflicts show ${numberOf(id)}`;
  if (found.error) return <><Head level={2} title={words(id)} line={line} /><Problem error={found.error} retry={found.reload} /></>;
  const conflict = found.data;
  if (!conflict) return <Loading />;
  const sides: Side[] = conflict.sides ?? conflict.memories.map((one) => ({ path: one.path, title: one.title ?? one.path }));
  return (
    <article aria-label={`Conflict ${id}`}>
      <p class="back"><a href={link("conflicts")}>All conflicts</a></p>
      <Head level={2} title={words(conflict.description || conflict.type.replaceAll("_", " "), 300)} facts={<><Tag>{conflict.type.replaceAll("_", " ")}</Tag>{conflict.confidence ? <span>confidence {score(conflict.confidence)}</span> : null}</>} line={line} json={`/v1/conflicts/${numberOf(id)}`} />
      <div class="sides">
        {sides.map((one) => (
          <section key={one.path} aria-label={one.path}>
            <h3>{words(one.title, 200)}</h3>
            <p><a class="mono" href={link("memory", one.path)}>{words(one.path, 200)}</a></p>
            {one.quote ? <blockquote class="clash">{words(one.quote, 600)}</blockquote> : null}
            {one.body ? <Markdown nodes={one.body} under={one.title} /> : one.text ? <pre class="code" tabIndex={0}>{words(one.text)}</pre> : null}
          </section>
        ))}
      </div>
      {conflict.status === "resolved" ? <p class="hint">Resolved.</p> : <Settle id={id} sides={sides} digest={conflict.digest} onDone={onDone} />}
    </article>
  );
}

const WAYS = [
  ["deprecate", "One is outdated: retire it"],
  ["intentional", "Both are right: keep them"],
  ["merge", "Merge them into one text"],
  ["clarify", "Clarify one with a new text"],
] as const;
type Way = (typeof WAYS)[number][0];

function Settle({ id, sides, digest, onDone }: { id: string; sides: Side[]; digest?: string; onDone: () => void }) {
  const [way, setWay] = useState<Way>("deprecate");
  const [target, setTarget] = useState(sides[0]?.path ?? "");
  const [reason, setReason] = useState("");
  const [content, setContent] = useState("");
  const [armed, setArmed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const texts = way === "merge" || way === "clarify";
  const ready = Boolean(reason.trim()) && (!texts || Boolean(content.trim()));
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    const body = { action: way, reason: reason.trim(), ...(way === "intentional" ? {} : { target }), ...(texts ? { content } : {}), seen: digest };
    try {
      await decide({ action: "resolve", id: `${id}:${way}`, digest, what: `Resolve ${id}: ${way}`, path: `/v1/conflicts/${encodeURIComponent(id)}/resolve`, body });
      tell(`${id} resolved`);
      onDone();
    } catch (problem) {
      setArmed(false);
      if (problem instanceof ApiError) setError(problem);
      else if (!(problem instanceof Withdrawn)) throw problem;
    } finally {
      setBusy(false);
    }
  };
  const choose = (to: Way): void => {
    setWay(to);
    setArmed(false);
    if (to === "merge" || to === "clarify") setContent(sides.find((one) => one.path === target)?.text ?? "");
  };
  return (
    <Section title="Resolve">
      <form class="stack" onSubmit={(event) => { event.preventDefault(); if (armed) void send(); else setArmed(true); }}>
        <fieldset class="ways"><legend class="sr">How</legend>
          {WAYS.map(([name, label]) => <label class="switch" key={name}><input type="radio" name="way" checked={way === name} onChange={() => choose(name)} /><span>{label}</span></label>)}
        </fieldset>
        {way === "intentional" ? null : (
          <label class="field"><span>{way === "deprecate" ? "Retire" : way === "merge" ? "Keep as" : "Change"}</span>
            <select value={target} onChange={(event) => setTarget(event.currentTarget.value)}>{sides.map((one) => <option key={one.path} value={one.path}>{one.path}</option>)}</select>
          </label>
        )}
        {texts ? <label class="field"><span>New text</span><textarea class="mono" rows={12} value={content} onInput={(event) => setContent(event.currentTarget.value)} /></label> : null}
        <label class="field"><span>Why</span><input value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
        {armed ? <TeamTold action="resolve" id={`${id}:${way}`} /> : null}
        <div class="actions">
          <button type="submit" class={`button ${armed ? "danger" : "primary"}`} disabled={!ready || busy}>{armed ? "Confirm" : "Resolve…"}</button>
          {armed ? <Button kind="quiet" onClick={() => setArmed(false)}>Cancel</Button> : null}
          <span class="quiet">The change itself becomes a proposal.</span>
        </div>
      </form>
      {error ? <Problem error={error} /> : null}
    </Section>
  );
}
