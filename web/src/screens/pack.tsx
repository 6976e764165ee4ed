/** A pack and its receipt: why each memory is in or out, and what it cost. */

import { useState } from "preact/hooks";
import { Bar, Empty, Head, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { useGet } from "../resource";
import { link } from "../router";
import { count, score } from "../text";
import type { Pack } from "../types";

const REASONS: Record<string, string> = {
  budget: "no room left in the budget",
  below_floor: "too little of it is about the task",
  near_duplicate: "says the same as one that is in",
  candidate_limit: "beyond the number of candidates",
  given_before: "given earlier in this session",
};
const FEW = 5;
const OCCASIONS: Record<string, string> = { start: "at the start of a session", prompt: "for a prompt", files: "for files that were read", asked: "asked for" };

export function PackPage({ seq }: { seq: string }) {
  const found = useGet<Pack>(`/v1/packs/${seq}`);
  const pack = found.data;
  return (
    <article aria-label={`Pack ${seq}`}>
      <p class="back">{pack?.session ? <a href={link("session", pack.session)}>Session {words(pack.session, 40)}</a> : <a href={link("live")}>All sessions</a>}</p>
      <Head
        level={2}
        title={<>Pack <span class="mono">{seq}</span></>}
        facts={pack ? <><Time at={pack.at} />{pack.why ? <span class="quiet">{OCCASIONS[pack.why] ?? words(pack.why)}</span> : null}</> : null}
        line={`dmm ledger pack ${seq}`}
        json={`/v1/packs/${seq}`}
      />
      {pack?.task ? <blockquote class="task">{words(pack.task, 2000)}</blockquote> : null}
      <PackReceipt seq={seq} />
    </article>
  );
}

export function PackReceipt({ seq }: { seq: string }) {
  const found = useGet<Pack>(`/v1/packs/${seq}`);
  const [all, setAll] = useState(false);
  if (found.error) return <Problem error={found.error} retry={found.reload} line={`dmm ledger pack ${seq}`} />;
  if (!found.data) return <Loading what="Reading the receipt" />;
  const pack = found.data;
  const { baseline, retrieved, total } = pack.tokens;
  const held = new Set(pack.entries.map((one) => one.path));
  const left = pack.excluded.filter((one) => !held.has(one.path));
  const excluded = all ? left : left.slice(0, FEW);
  return (
    <div class="receipt">
      <div class="budget">
        <Bar value={total} of={pack.budget ?? total} />
        <p class="numbers">
          <strong>{count(total)}</strong>{pack.budget ? <> of {count(pack.budget)}</> : null} tokens
          {pack.receipt ? <span class="quiet"> · baseline {count(baseline)} · retrieved {count(retrieved)}</span> : null}
          {pack.memory_tokens ? <span class="quiet"> · all memory would be {count(pack.memory_tokens)}</span> : null}
        </p>
      </div>
      {pack.receipt ? null : <p class="hint">This pack was served before receipts were recorded.</p>}
      <Section title="In the pack" count={count(pack.entries.length)} id={`in-${seq}`}>
        {pack.entries.length === 0 ? <Empty title="Nothing was relevant enough">The pack said so instead of padding.</Empty> : null}
        <table class="plain">
          <thead><tr><th scope="col">memory</th><th scope="col" class="end">score</th><th scope="col">found by</th><th scope="col" class="end">tokens</th></tr></thead>
          <tbody>
            {pack.entries.map((one) => (
              <tr key={one.path}>
                <td data-label="memory"><MemoryName path={one.path} title={one.title} />{one.labels.map((label) => <Tag key={label} tone="warn">{words(label, 120)}</Tag>)}</td>
                <td data-label="score" class="end">{score(one.score)}</td>
                <td data-label="found by" class="quiet">{one.lanes.join(", ") || "–"}</td>
                <td data-label="tokens" class="end">{count(one.tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      {left.length ? (
        <Section title="Left out" count={count(left.length + pack.excluded_more)} id={`out-${seq}`}>
          <table class="plain">
            <thead><tr><th scope="col">memory</th><th scope="col" class="end">score</th><th scope="col">reason</th><th scope="col" class="end">tokens</th></tr></thead>
            <tbody>
              {excluded.map((one) => (
                <tr key={one.path}>
                  <td data-label="memory"><MemoryName path={one.path} title={one.title} /></td>
                  <td data-label="score" class="end">{score(one.score)}</td>
                  <td data-label="reason" class="quiet">{REASONS[one.reason] ?? words(one.reason, 120)}</td>
                  <td data-label="tokens" class="end">{count(one.tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {left.length > FEW ? <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Show fewer" : `Show ${left.length - FEW} more`}</button> : null}
          {pack.excluded_more ? <p class="quiet">{count(pack.excluded_more)} more with lower scores are not listed.</p> : null}
        </Section>
      ) : null}
    </div>
  );
}

export function MemoryName({ path, title }: { path: string; title?: string | null }) {
  return (
    <a class="memory-name" href={link("memory", path)}>
      {title ? <span>{words(title, 200)}</span> : null}
      <span class="mono quiet">{words(path, 200)}</span>
    </a>
  );
}
