/** What if: a rule that was not there, and the past beside the past that would have been. */

import { useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { Head, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { link } from "../router";
import { loadDraft, saveDraft } from "../state";
import { quote } from "../text";

interface Step { seq: number; text: string; status: string; why?: string | null }
interface Simulated { result: string; reason?: string | null; timelines?: { a: Step[]; b: Step[] } }

export function WhatIf({ seq }: { seq: number }) {
  const [rule, setRule] = useState(loadDraft("whatif.rule") ?? "");
  const [decision, setDecision] = useState(loadDraft("whatif.decision") ?? "");
  const [found, setFound] = useState<Simulated | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      setFound(await request<Simulated>("/v1/ledger/simulations", { body: { inject_constraint: rule.trim(), at_seq: seq, then_decide: decision.trim() } }));
    } catch (problem) {
      setFound(null);
      if (problem instanceof ApiError) setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <article aria-label="What if">
      <Head level={2} title={<>What if, since event <span class="mono">{seq}</span></>} line={`dmm ledger simulate --inject ${quote(rule || "a rule")} --at ${seq} --decide ${quote(decision || "a decision")}`} />
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void run(); }}>
        <label class="field"><span>If this rule had been there since event {seq}</span><input value={rule} placeholder="verify accessibility before booking" onInput={(event) => { setRule(event.currentTarget.value); saveDraft("whatif.rule", event.currentTarget.value || null); }} /></label>
        <label class="field"><span>what would have become of this decision?</span><input value={decision} placeholder="Book the venue on the hill" onInput={(event) => { setDecision(event.currentTarget.value); saveDraft("whatif.decision", event.currentTarget.value || null); }} /></label>
        <div class="actions"><button type="submit" class="button primary" disabled={busy || !rule.trim() || !decision.trim()}>Simulate</button><span class="quiet">Nothing is recorded.</span></div>
      </form>
      {error ? <Problem error={error} /> : null}
      {found ? (
        <>
          <p class="verdict" role="status"><Tag tone={toneOf(found.result)}>{found.result}</Tag><span>{words(found.reason ?? "No rule blocks this.", 600)}</span></p>
          {found.timelines ? (
            <div class="sides">
              <Timeline title="A: as it was" steps={found.timelines.a} />
              <Timeline title={`B: with the rule since ${seq}`} steps={found.timelines.b} other={found.timelines.a} />
            </div>
          ) : null}
        </>
      ) : null}
    </article>
  );
}

const toneOf = (status: string): string => (/block/i.test(status) ? "block" : "good");
const MOST = 60;

function Timeline({ title, steps, other }: { title: string; steps: Step[]; other?: Step[] }) {
  return (
    <Section title={title} count={steps.length}>
      {steps.length === 0 ? <p class="quiet">No decision since then.</p> : null}
      <ol class="plain-list">
        {steps.slice(0, MOST).map((one) => {
          const was = other?.find((step) => step.seq === one.seq);
          return (
            <li key={one.seq} class={was && was.status !== one.status ? "differs" : ""}>
              {one.seq ? <a class="seq" href={link("ledger", one.seq)}>{one.seq}</a> : null} {words(one.text, 200)} <Tag tone={toneOf(one.status)}>{one.status.toLowerCase()}</Tag>
              {one.why && was?.status !== one.status ? <p class="quiet">{words(one.why, 300)}</p> : null}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
