/** A rule held against the past, as a job with progress. */

import { useState } from "preact/hooks";
import { Button, Problem, Section } from "../parts/ui";
import { words } from "../parts/words";
import { link } from "../router";
import { useJob, JobProgress } from "../parts/job";
import { count, quote } from "../text";

interface Result {
  tool_calls?: number;
  decisions?: number;
  calls_blocked?: number;
  enforceable?: boolean;
  would_block?: { seq: number; text: string; reason: string }[];
  would_ask?: { seq: number; text: string; reason: string }[];
}

const MOST = 50;

/** `rule` is an id, a sentence or the text of a file. */
export function Rehearsal({ rule }: { rule: string }) {
  const job = useJob();
  const [asked, setAsked] = useState("");
  const start = (): void => {
    setAsked(rule);
    void job.start({ kind: "rehearse", rule });
  };
  const result = asked === rule ? (job.result as Result | null) : null;
  const hits = [...(result?.would_block ?? []), ...(result?.would_ask ?? [])];
  return (
    <Section title="On the past">
      <div class="actions">
        <Button onClick={start} disabled={job.running || !rule.trim()}>Rehearse</Button>
        <span class="quiet">What it would have stopped in earlier sessions. <code>dmm rules rehearse {words(quote(rule), 60)}</code></span>
      </div>
      <JobProgress job={job} />
      {job.error ? <Problem error={job.error} /> : null}
      {result ? (
        <>
          <p role="status"><strong>{count(hits.length)}</strong> of {count((result.tool_calls ?? 0) + (result.decisions ?? 0))} past calls and decisions {hits.length === 1 ? "is" : "are"} stopped.</p>
          <ul class="plain-list">
            {hits.slice(0, MOST).map((one) => (
              <li key={one.seq}><a class="seq" href={link("ledger", one.seq)}>{one.seq}</a> <span class="mono">{words(one.text, 300)}</span> <span class="quiet">{words(one.reason, 200)}</span></li>
            ))}
          </ul>
          {hits.length > MOST ? <p class="quiet">{count(hits.length - MOST)} more</p> : null}
        </>
      ) : null}
    </Section>
  );
}
