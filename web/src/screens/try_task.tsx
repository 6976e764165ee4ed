/** What an agent would be given for a task, with the receipt; a try counts as nothing. */

import { useEffect, useState } from "preact/hooks";
import { request } from "../api";
import { Bar, Empty, Head, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useLoad } from "../resource";
import { go, link } from "../router";
import { count, quote, score } from "../text";
import { MemoryName } from "./pack";

interface Candidate { path: string; title: string; lanes: string[]; parts: Record<string, number>; score: number; tokens: number; included: boolean; reason: string; detail: string }
interface Answer {
  pack: { budget: number; baseline_tokens: number; retrieved_tokens: number; total_tokens: number };
  receipt: { candidates: Candidate[]; considered: number; abstained: boolean };
}

export function TryTask({ task, ready }: { task: string; ready: boolean }) {
  const [typed, setTyped] = useState(task);
  useEffect(() => setTyped(task), [task]);
  const found = useLoad<Answer>(task ? `try ${task}` : null, (signal) => request<Answer>("/v1/query", { body: { query: task, explain: true, record: false }, signal }));
  return (
    <article aria-label="Try a task">
      <p class="back"><a href={link("memory")}>All memories</a></p>
      <Head level={2} title="What would an agent get?" line={`dmm query ${task ? quote(task) : '"a task"'} --explain`} />
      <form class="ask-field" onSubmit={(event) => { event.preventDefault(); go(link("memory", "", { try: typed.trim() })); }}>
        <input aria-label="Task" placeholder="Describe a task, as you would to the agent" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit" class="button primary" disabled={!typed.trim()}>Try</button>
      </form>
      <p class="quiet">Previews are not recorded.</p>
      {found.error ? <Problem error={found.error} retry={found.reload} /> : null}
      {found.loading ? <Loading what="Retrieving" /> : null}
      {found.data ? <Receipt answer={found.data} /> : null}
      {task || !ready ? null : <LastTasks />}
    </article>
  );
}

const FEW = 6;

/** What agents were asked last: the first thing that somebody wants to try. Asked for once the memories are there. */
function LastTasks() {
  const found = useGet<{ packs: { seq: number; at: string; task: string }[] }>("/v1/packs?limit=30");
  const known = new Set<string>();
  const rows = (found.data?.packs ?? []).filter((one) => one.task && !known.has(one.task) && known.add(one.task)).slice(0, FEW);
  if (rows.length === 0) return null;
  return (
    <div class="tries">
      <Section title="Or one of the last prompts">
        <ul class="plain-list">{rows.map((one) => <li key={one.seq}><a class="cut" href={link("memory", "", { try: one.task.slice(0, 500) })}>{words(one.task, 200)}</a><span class="quiet"><Time at={one.at} /></span></li>)}</ul>
      </Section>
    </div>
  );
}

function Receipt({ answer }: { answer: Answer }) {
  const { pack, receipt } = answer;
  const inside = receipt.candidates.filter((one) => one.included);
  const out = receipt.candidates.filter((one) => !one.included);
  return (
    <div class="receipt">
      <div class="budget">
        <Bar value={pack.total_tokens} of={pack.budget} />
        <p class="numbers"><strong>{count(pack.total_tokens)}</strong> of {count(pack.budget)} tokens <span class="quiet">· baseline {count(pack.baseline_tokens)} · retrieved {count(pack.retrieved_tokens)} · {count(receipt.considered)} considered</span></p>
      </div>
      {receipt.abstained ? <Empty title="Nothing is relevant enough">The pack would hold the baseline and the rules only.</Empty> : null}
      {inside.length ? <Candidates title="In the pack" rows={inside} /> : null}
      {out.length ? <Candidates title="Left out" rows={out} /> : null}
    </div>
  );
}

function Candidates({ title, rows }: { title: string; rows: Candidate[] }) {
  return (
    <Section title={title} count={rows.length}>
      <table class="plain">
        <thead><tr><th scope="col">memory</th><th scope="col" class="end">score</th><th scope="col">why</th><th scope="col" class="end">tokens</th></tr></thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.path}>
              <td data-label="memory"><MemoryName path={one.path} title={one.title} /></td>
              <td data-label="score" class="end">{score(one.score)}</td>
              <td data-label="why" class="quiet">
                <details><summary>{one.included ? one.lanes.join(", ") : one.reason.replaceAll("_", " ")}</summary>
                  {one.detail ? <p>{words(one.detail, 300)}</p> : null}
                  <p class="parts">{Object.entries(one.parts).filter(([, value]) => value).map(([name, value]) => <Tag key={name}>{name} {score(value)}</Tag>)}</p>
                </details>
              </td>
              <td data-label="tokens" class="end">{count(one.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
