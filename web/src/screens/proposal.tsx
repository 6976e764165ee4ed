/** One proposal: who, why, checks, clashes, evidence, the change, and the decision. */

import { useEffect, useState } from "preact/hooks";
import { Diff, isLong } from "../parts/diff";
import { Markdown } from "../parts/markdown";
import { Head, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { Foreign, words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { link } from "../router";
import { numberOf, plural, score } from "../text";
import type { Check, Clash, Proposal } from "../types";
import { Decision } from "./decision";
import { MemoryName } from "./pack";

const STATUS: Record<string, string> = { applied: "good", rejected: "block", undone: "warn", pending: "plain" };

export function ProposalPage({ id, onDecided, onChanged }: { id: string; onDecided: () => void; onChanged: () => void }) {
  const found = useGet<Proposal>(`/v1/proposals/${encodeURIComponent(id)}`);
  // It may have been decided elsewhere: in another tab, in a terminal, by the reviewer.
  useNews(/^Proposal/, found.reload);
  // The digest of the text that was shown to its end.
  const [whole, setWhole] = useState("");
  const line = `dmm review show ${numberOf(id)}`;
  const ready = found.data !== undefined;
  useEffect(() => {
    // After a decision the button that had the focus is gone; the next proposal is read from its heading on.
    if (ready && document.activeElement === document.body) document.querySelector<HTMLElement>(".detail h2")?.focus({ preventScroll: true });
  }, [ready]);
  if (found.error) return <><Head level={2} title={words(id)} line={line} /><Problem error={found.error} retry={found.reload} /></>;
  const proposal = found.data;
  if (!proposal) return <Loading />;
  const changed = (): void => {
    found.reload();
    onChanged();
  };
  return (
    <article aria-label={`${id}: ${proposal.operation} ${proposal.path}`}>
      <p class="back"><a href={link("review")}>All proposals</a></p>
      <Head
        level={2}
        title={<>{proposal.operation} <span class="mono">{words(proposal.path, 200)}</span></>}
        facts={<Tag tone={STATUS[proposal.status]}>{proposal.status === "pending" ? "waits for you" : proposal.status}</Tag>}
        line={line}
        json={`/v1/proposals/${numberOf(id)}`}
      />
      <Decision key={`${proposal.digest}${proposal.status}`} proposal={proposal} shown={whole === proposal.digest || !isLong(proposal.diff)} onDecided={onDecided} onChanged={changed} />
      <dl class="about">
        <div><dt>proposed by</dt><dd>{words(proposal.proposer, 80)} over {words(proposal.source, 40)}, <Time at={proposal.at} />{proposal.session ? <> in <a href={link("session", proposal.session)}>session {words(proposal.session, 30)}</a></> : null}</dd></div>
        <div><dt>trust</dt><dd>{proposal.trust === "third_party" || proposal.trust === "tool" ? <Tag tone="warn">{proposal.trust.replace("_", " ")}</Tag> : proposal.trust}</dd></div>
        <div><dt>reason</dt><dd>{words(proposal.reason, 600) || "none given"}</dd></div>
        {proposal.status === "pending" ? <div><dt>why it waits</dt><dd>{words(proposal.why, 400)}</dd></div> : null}
        {proposal.failure ? <div><dt>failure</dt><dd class="block-text">{words(proposal.failure, 400)}</dd></div> : null}
      </dl>
      <Checks checks={proposal.checks} />
      <Clashes clashes={proposal.conflicts ?? []} />
      <Change proposal={proposal} onWhole={() => setWhole(proposal.digest)} />
      <Evidence proposal={proposal} />
      {proposal.neighbours.length ? (
        <Section title="Memories nearby" count={proposal.neighbours.length}>
          <table class="plain">
            <thead><tr><th scope="col">memory</th><th scope="col" class="end">similarity</th></tr></thead>
            <tbody>
              {proposal.neighbours.slice(0, 6).map((one) => (
                <tr key={one.path}><td data-label="memory"><MemoryName path={one.path} title={one.title} /></td><td data-label="similarity" class="end">{score(one.similarity)}</td></tr>
              ))}
            </tbody>
          </table>
        </Section>
      ) : null}
    </article>
  );
}

const OUTCOMES = { pass: { tone: "good", word: "passed" }, warn: { tone: "warn", word: "warning" }, fail: { tone: "block", word: "failed" } };

export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Section title="Checks" count={`${checks.filter((one) => one.outcome === "pass").length} of ${checks.length} passed`}>
      <CheckList checks={checks} />
    </Section>
  );
}

/** What speaks against something first; what passed is folded away. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  const passed = checks.filter((one) => one.outcome === "pass");
  const rest = checks.filter((one) => one.outcome !== "pass").sort((a, b) => a.outcome.localeCompare(b.outcome));
  return (
    <>
      {rest.length ? <ul class="checks">{rest.map((one) => <CheckRow key={one.name} check={one} />)}</ul> : null}
      {passed.length ? (
        <details>
          <summary>{plural(passed.length, "check")} passed</summary>
          <ul class="checks">{passed.map((one) => <CheckRow key={one.name} check={one} />)}</ul>
        </details>
      ) : null}
    </>
  );
}

function CheckRow({ check }: { check: Check }) {
  const outcome = OUTCOMES[check.outcome] ?? OUTCOMES.warn;
  return (
    <li>
      <Tag tone={outcome.tone}>{outcome.word}</Tag>
      <span class="check-name">{check.name.replaceAll("_", " ")}</span>
      <span class="check-text">{words(check.text, 800)}{check.other ? <> <a href={/^proposal_/.test(check.other) ? link("review", check.other) : link("memory", check.other)}>{words(check.other, 120)}</a></> : null}</span>
    </li>
  );
}

function Clashes({ clashes }: { clashes: readonly Clash[] }) {
  if (clashes.length === 0) return null;
  return (
    <Section title="Contradicts" count={clashes.length}>
      {clashes.map((one, place) => {
        const mine = one.mine ?? one.quotes?.[0];
        const theirs = one.theirs ?? one.quotes?.[1];
        return (
          <div class="sides" key={place}>
            <figure><figcaption>this proposal</figcaption><blockquote>{words(mine ?? one.text, 500)}</blockquote></figure>
            <figure><figcaption>{one.path ? <a href={link("memory", one.path)}>{words(one.path, 120)}</a> : "memory"}{one.confidence ? <span class="quiet"> {score(one.confidence)}</span> : null}</figcaption><blockquote>{words(theirs ?? "", 500)}</blockquote></figure>
          </div>
        );
      })}
    </Section>
  );
}

function Change({ proposal, onWhole }: { proposal: Proposal; onWhole: () => void }) {
  const [read, setRead] = useState(false);
  const body = proposal.body;
  return (
    <Section title="Change">
      {body?.length ? (
        <div class="segments" role="group" aria-label="How the change is shown">
          <button type="button" aria-pressed={!read} onClick={() => setRead(false)}>Difference</button>
          <button type="button" aria-pressed={read} onClick={() => setRead(true)}>As it would read</button>
        </div>
      ) : null}
      <Foreign trust={proposal.trust}>
        {read && body ? <Markdown nodes={body} /> : proposal.diff.length ? <Diff key={proposal.digest} lines={proposal.diff} label="Difference" onWhole={onWhole} /> : <p class="quiet">No text changes.</p>}
      </Foreign>
    </Section>
  );
}

function Evidence({ proposal }: { proposal: Proposal }) {
  const entries = [...proposal.evidence, ...proposal.reviews];
  if (entries.length === 0) return null;
  return (
    <Section title="Evidence and reviews" count={entries.length}>
      <ul class="plain-list">
        {entries.map((one, place) => <li key={place}><Loose value={one} /></li>)}
      </ul>
    </Section>
  );
}

/** A value of any form, as its words. */
export function Loose({ value }: { value: unknown }) {
  if (typeof value === "number") return <a href={link("ledger", value)}>event {value}</a>;
  if (typeof value === "string") return <>{words(value, 600)}</>;
  if (value === null || typeof value !== "object") return <>{String(value)}</>;
  return (
    <dl class="about tight">
      {Object.entries(value).filter(([, one]) => one !== null && one !== "").map(([name, one]) => (
        <div key={name}><dt>{name.replaceAll("_", " ")}</dt><dd>{words(typeof one === "string" ? one : JSON.stringify(one), 600)}</dd></div>
      ))}
    </dl>
  );
}
