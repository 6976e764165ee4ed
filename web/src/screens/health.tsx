/** Health: the doctor, the index, budgets, tokens against the monolith, keys of the person. */

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api";
import { loadPlots } from "../lazy";
import { JobProgress, useJob } from "../parts/job";
import { Bar, Button, Empty, Head, Loading, Page, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import type { Drawn, Line } from "../plots";
import { useGet } from "../resource";
import type { Route } from "../router";
import { root } from "../api";
import { theme } from "../state";
import { count, fullTime } from "../text";
import type { Check } from "../types";
import { CheckList } from "./proposal";
import { Passkeys } from "./passkeys";

interface Day { day: string; packs: number; tokens: number; monolith: number; blocked: number; asked: number; proposals: number; applied: number }
interface Metrics {
  days: Day[];
  now: { memories: number; indexed: number; baseline_tokens: number; baseline_budget: number; monolith_tokens: number; daemon_mb: number | null; queue: number; queue_oldest_hours: number | null; events: number };
}
interface Status { daemon_version: string; projects: { root: string; last_reindex: string | null; watcher_active: boolean }[] }

export function Health(_: { route: Route }) {
  const [days, setDays] = useState(30);
  const metrics = useGet<Metrics>(address("/v1/metrics", { days }));
  const status = useGet<Status>("/v1/status");
  const own = status.data?.projects.find((one) => one.root === root.value);
  const now = metrics.data?.now;
  return (
    <Page>
      <Head title="Health" facts={status.data ? <>version {status.data.daemon_version}{own?.watcher_active ? <Tag tone="good">watching files</Tag> : null}</> : null} line={`dmm cost --days ${days}`} json={`/v1/metrics?days=${days}`} />
      {metrics.error ? <Problem error={metrics.error} retry={metrics.reload} line="dmm status" /> : null}
      {metrics.loading ? <Loading /> : null}
      {now ? (
        <dl class="figures">
          <div><dt>memories in force</dt><dd>{count(now.memories)}</dd></div>
          <div><dt>files indexed</dt><dd class={now.indexed < now.memories ? "block-text" : ""}>{count(now.indexed)}</dd></div>
          <div><dt>baseline of {count(now.baseline_budget)} tokens</dt><dd class={now.baseline_tokens > now.baseline_budget ? "block-text" : ""}>{count(now.baseline_tokens)}<Bar value={now.baseline_tokens} of={now.baseline_budget} /></dd></div>
          <div><dt>all memory, tokens</dt><dd>{count(now.monolith_tokens)}</dd></div>
          <div><dt>waiting for review</dt><dd>{count(now.queue)}</dd></div>
          {now.queue_oldest_hours ? <div><dt>oldest, hours</dt><dd>{count(Math.round(now.queue_oldest_hours))}</dd></div> : null}
          <div><dt>events</dt><dd>{count(now.events)}</dd></div>
          {now.daemon_mb ? <div><dt>daemon, MB</dt><dd>{count(Math.round(now.daemon_mb))}</dd></div> : null}
        </dl>
      ) : null}
      {metrics.data ? (
        <>
          <div class="segments" role="group" aria-label="Days">
            {[7, 30, 90].map((value) => <button key={value} type="button" aria-pressed={days === value} onClick={() => setDays(value)}>{value} days</button>)}
          </div>
          {metrics.data.days.some((one) => one.packs || one.blocked || one.proposals) ? <Plots days={metrics.data.days} /> : <Empty title="Nothing to plot yet" line="dmm install">Days appear once agents ask for packs.</Empty>}
        </>
      ) : null}
      <Checkup />
      <Works last={own?.last_reindex ?? null} />
      <Passkeys />
    </Page>
  );
}

function Plots({ days }: { days: Day[] }) {
  const names = days.map((one) => one.day);
  const saved = days.reduce((sum, one) => sum + Math.max(0, one.monolith - one.tokens), 0);
  return (
    <div class="plots">
      <Section title="Tokens given, against the whole memory each time" count={`${count(saved)} saved`}>
        <Plot days={names} lines={[{ label: "all memory each time", values: days.map((one) => one.monolith), tone: "column", columns: true }, { label: "given", values: days.map((one) => one.tokens), tone: "accent", columns: true }]} label={`Tokens by day: ${count(days.reduce((sum, one) => sum + one.tokens, 0))} given in ${days.length} days`} />
      </Section>
      <Section title="Packs">
        <Plot days={names} lines={[{ label: "packs", values: days.map((one) => one.packs), tone: "accent", columns: true }]} label={`Packs by day: ${count(days.reduce((sum, one) => sum + one.packs, 0))} in all`} />
      </Section>
      <Section title="Rules and review">
        <Plot days={names} lines={[{ label: "blocked", values: days.map((one) => one.blocked), tone: "block" }, { label: "asked", values: days.map((one) => one.asked), tone: "warn" }, { label: "proposed", values: days.map((one) => one.proposals), tone: "soft" }, { label: "applied", values: days.map((one) => one.applied), tone: "good" }]} label="Blocked, asked, proposed and applied by day" />
      </Section>
    </div>
  );
}

const HEIGHT = 170;

function Plot({ days, lines, label }: { days: string[]; lines: Line[]; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let drawn: Drawn | null = null;
    let current = true;
    void loadPlots().then(({ draw }) => {
      if (current && place.current) drawn = draw(place.current, days, lines, HEIGHT);
    });
    return () => {
      current = false;
      drawn?.destroy();
    };
  }, [days.join(), JSON.stringify(lines), theme.value]);
  return (
    <>
      <p class="legend">{lines.map((one) => <span key={one.label}><i class={`ink-${one.tone}`} />{one.label} <b>{count(one.values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}</b></span>)}</p>
      <div class="plot" role="img" aria-label={label} ref={place} />
    </>
  );
}

interface Finding { area: string; name: string; level: "ok" | "warn" | "fail"; told: string; way: string | null }
const OUTCOMES = { ok: "pass", warn: "warn", fail: "fail" } as const;

function Checkup() {
  const job = useJob();
  const rows = (job.result as { checks?: Finding[] } | null)?.checks;
  const checks = rows?.map((one): Check => ({ name: `${one.area}: ${one.name}`, outcome: OUTCOMES[one.level] ?? "warn", text: one.way ? `${one.told} ${one.way}` : one.told }));
  return (
    <Section title="Doctor">
      <div class="actions"><Button onClick={() => void job.start({ kind: "checkup" })} disabled={job.running}>Check now</Button><span class="quiet">Hooks, index, files, ledger. <code>dmm doctor</code> also proves that a deny denies.</span></div>
      <JobProgress job={job} />
      {job.error ? <Problem error={job.error} line="dmm doctor" /> : null}
      <div role="status">{checks ? <CheckList checks={checks} /> : null}</div>
    </Section>
  );
}

function Works({ last }: { last: string | null }) {
  const verify = useJob();
  const reindex = useJob();
  const told = verify.result as { valid?: boolean; events?: number; reason?: string | null } | null;
  const indexed = reindex.result as { reindexed?: number; embedded?: number; removed?: number; duration_ms?: number } | null;
  return (
    <Section title="Upkeep">
      <div class="upkeep">
        <div>
          <Button onClick={() => void verify.start({ kind: "verify" })} disabled={verify.running}>Verify the ledger</Button>
          <span class="quiet">No event edited, removed, moved or cut off. <code>dmm ledger verify</code></span>
          <JobProgress job={verify} />
          {verify.error ? <Problem error={verify.error} /> : null}
          {told ? <p role="status"><Tag tone={told.valid ? "good" : "block"}>{told.valid ? "whole" : "damaged"}</Tag> {count(told.events)} events {words(told.reason ?? "", 300)}</p> : null}
        </div>
        <div>
          <Button onClick={() => void reindex.start({ kind: "reindex" })} disabled={reindex.running}>Update the index</Button>
          <span class="quiet">{last ? `Last ${fullTime(last)}. ` : ""}Queries do this by themselves. <code>dmm reindex</code></span>
          <JobProgress job={reindex} />
          {reindex.error ? <Problem error={reindex.error} /> : null}
          {indexed ? <p role="status"><Tag tone="good">done</Tag> {count(indexed.reindexed)} indexed, {count(indexed.removed)} removed</p> : null}
        </div>
      </div>
    </Section>
  );
}
