/** What was known at an event, and what changed between two. */

import { useState } from "preact/hooks";
import { address } from "../api";
import { Bar, Empty, Head, Loading, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { useGet } from "../resource";
import { go, link } from "../router";
import { count } from "../text";
import { Value } from "./event";

interface Fact { value: unknown; confidence: number; seq: number }
interface Held { text: string; priority?: string; active?: boolean; seq: number; state?: string; status?: string }
interface State { facts: Record<string, Fact>; constraints: Held[]; decisions: Held[] }
interface Changes { facts: Named[]; constraints: Named[]; decisions: Named[] }
interface Named { name: string; value?: unknown; before?: unknown; after?: unknown }
interface Difference { added: Changes; removed: Changes; changed: Changes }

const MOST = 100;

export function StateThen({ seq }: { seq: number }) {
  const found = useGet<{ viewing_seq: number; current_seq: number; historical_state: State; diff_from_current: Difference }>(`/v1/ledger/at/${seq}`);
  if (found.error) return <Problem error={found.error} retry={found.reload} line={`dmm ledger at ${seq}`} />;
  if (!found.data) return <Loading />;
  const { historical_state: then, current_seq: now, diff_from_current: difference } = found.data;
  const facts = Object.entries(then.facts);
  return (
    <article class="flashback" aria-label={`State at event ${seq}`}>
      <Head level={2} title={<>State at event <span class="mono">{seq}</span></>} line={`dmm ledger at ${seq}`} json={`/v1/ledger/at/${seq}`} />
      <p class="flash"><strong>Flashback</strong> What was known {count(now - seq)} events ago. <a href={link("ledger", seq, { tab: "compare", b: now })}>What changed since</a></p>
      <Section title="Rules in force" count={then.constraints.length}>
        <Rows rows={then.constraints.filter((one) => one.active !== false)} note={(one) => one.state ?? one.priority ?? ""} none="No rule then." />
      </Section>
      <Section title="Facts" count={facts.length}>
        {facts.length === 0 ? <p class="quiet">No facts yet.</p> : null}
        <dl class="about">
          {facts.slice(0, MOST).map(([name, one]) => <div key={name}><dt>{words(name, 80)}</dt><dd><Value value={one.value} depth={0} /> <a class="seq" href={link("ledger", one.seq)}>{one.seq}</a></dd></div>)}
        </dl>
      </Section>
      <Section title="Decisions" count={then.decisions.length}>
        <Rows rows={[...then.decisions].reverse()} note={(one) => one.status ?? ""} none="No decision then." />
      </Section>
      <Section title="Changes since"><Changed difference={difference} /></Section>
    </article>
  );
}

function Rows({ rows, note, none }: { rows: Held[]; note: (row: Held) => string; none: string }) {
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  return (
    <ul class="plain-list">
      {rows.slice(0, MOST).map((one) => <li key={one.seq}><a class="seq" href={link("ledger", one.seq)}>{one.seq}</a> {words(one.text, 300)} <Tag tone={note(one) === "blocked" || note(one) === "enforced" ? "block" : note(one) === "committed" ? "good" : "plain"} sign={note(one) === "blocked" || note(one) === "committed"}>{note(one)}</Tag></li>)}
      {rows.length > MOST ? <li class="quiet">{count(rows.length - MOST)} more</li> : null}
    </ul>
  );
}

export function Compare({ a, b, end }: { a: number; b: number; end: number }) {
  const [from, setFrom] = useState(a);
  const [to, setTo] = useState(b);
  const found = useGet<Difference>(address("/v1/ledger/diff", { before: a, after: b }));
  const drift = useGet<{ drift: number }>(address("/v1/ledger/drift", { before: a, after: b }));
  return (
    <article aria-label={`Events ${a} and ${b} compared`}>
      <Head level={2} title={<>From <span class="mono">{a}</span> to <span class="mono">{b}</span></>} line={`dmm ledger diff ${a} ${b}`} json={`/v1/ledger/diff?before=${a}&after=${b}`} />
      <form class="ask-field" onSubmit={(event) => { event.preventDefault(); go(link("ledger", from, { tab: "compare", b: to })); }}>
        <label class="field"><span>From event (A)</span><input type="number" min={0} max={end} value={from} onInput={(event) => setFrom(Number(event.currentTarget.value))} /></label>
        <label class="field"><span>To event (B)</span><input type="number" min={0} max={end} value={to} onInput={(event) => setTo(Number(event.currentTarget.value))} /></label>
        <button type="submit" class="button">Compare</button>
      </form>
      {drift.data ? <div class="drift"><span>drift {drift.data.drift.toFixed(2)}</span><Bar value={drift.data.drift} of={1} /></div> : null}
      {found.error ? <Problem error={found.error} retry={found.reload} /> : null}
      {found.loading ? <Loading /> : null}
      {found.data ? <Changed difference={found.data} /> : null}
    </article>
  );
}

const KINDS = ["constraints", "facts", "decisions"] as const;
const WORDS = { constraints: "rule", facts: "fact", decisions: "decision" };
const SIGNS = [["added", "good", "+ new"], ["changed", "warn", "~ changed"], ["removed", "block", "− gone"]] as const;

function Changed({ difference }: { difference: Difference }) {
  const rows = SIGNS.flatMap(([name, tone, word]) => KINDS.flatMap((kind) => (difference[name]?.[kind] ?? []).map((one) => ({ kind, tone, word, one }))));
  if (rows.length === 0) return <Empty title="Nothing changed" />;
  return (
    <ul class="plain-list changes">
      {rows.slice(0, MOST).map(({ kind, tone, word, one }, place) => (
        <li key={place}><Tag tone={tone} sign={false}>{word}</Tag> <span class="quiet">{WORDS[kind]}</span> {/^\d+$/.test(one.name) ? <a class="seq" href={link("ledger", one.name)}>{one.name}</a> : <strong>{words(one.name, 100)}</strong>} {words(said(one), 400)}</li>
      ))}
      {rows.length > MOST ? <li class="quiet">{count(rows.length - MOST)} more</li> : null}
    </ul>
  );
}

/** A changed thing in words: its text and status, or its values. */
function said(one: Named): string {
  if (one.before !== undefined || one.after !== undefined) return `${plain(one.before)} → ${plain(one.after)}`;
  return plain(one.value);
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  const { text, status, ...rest } = value as Record<string, unknown>;
  return typeof text === "string" ? `${text}${status ? ` (${String(status)})` : ""}` : JSON.stringify(rest);
}
