/** Ask: a short answer with its evidence, and recall in three layers. */

import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "../api";
import { useKeys } from "../keys";
import { Bar, Command, Empty, Head, Loading, Page, Problem, Section, Tag } from "../parts/ui";
import { Foreign, words } from "../parts/words";
import { useLoad } from "../resource";
import { go, link, type Route } from "../router";
import { count, plural, quote } from "../text";
import { Recall } from "./recall";

interface Unit { id: string; source: string; cite: string; title: string; score: number; kind: string; text: string; path?: string; start?: number; end?: number; low_trust?: string }
interface Answer {
  layer1_search: { results: { id: string; title: string }[]; memories?: Unit[]; notices?: string[] };
  layer3_observations: Unit[];
  repo_context: Unit[];
  answer: { points: { text: string; cite: string }[]; missing: unknown[]; more: string[] };
  suggested_prompt: string;
  token_estimate: number;
  mapping_decision: { profile: string; reason: string };
  coverage_gate: { enforced: boolean; pass: boolean; required: string[]; missing: string[] };
  coverage_9_section: { section: string; meaning: string; covered: boolean; places: string[] }[];
  prompt_metrics: { budget: number; total: number; evidence: Record<string, number> };
  execution_critic?: { stuck_detected: boolean; recommendation: string; risk_level: string };
}

const SAMPLES = ["where do I start in this repository", "what did we do last week", "which decisions were blocked and why"];

/** The way to what is cited: a memory, a unit of a session, or a place in code. */
export function Cite({ cite }: { cite: string }) {
  if (/^(obs|msg|evt)_/.test(cite)) return <a class="mono" href={link("ask", "", { recall: cite, id: cite })}>{words(cite)}</a>;
  if (/\.md$/.test(cite) && !cite.includes(":")) return <a class="mono" href={link("memory", cite)}>{words(cite)}</a>;
  return <span class="mono quiet">{words(cite.replace(/@[0-9a-f]+$/, ""), 200)}</span>;
}

export function Ask({ route }: { route: Route }) {
  const recall = route.parameters.get("recall");
  const question = route.parameters.get("q") ?? "";
  const [typed, setTyped] = useState(question || recall || "");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (question || recall) setTyped(question || (recall ?? ""));
  }, [question, recall]);
  useKeys("Ask", [{ key: "/", label: "Type a question", run: () => field.current?.focus() }]);
  const remembering = recall !== null;
  const submit = (): void => {
    const text = typed.trim();
    if (text) go(link("ask", "", remembering ? { recall: text } : { q: text }));
  };
  return (
    <Page>
      <Head title="Ask" facts="Memory, sessions, documents and code, every piece cited" line={remembering ? `dmm search ${quote(recall || "words")}` : `dmm ask ${quote(question || "a question")}`} />
      <div class="segments" role="group" aria-label="What to do">
        <button type="button" aria-pressed={!remembering} onClick={() => go(link("ask", "", { q: typed.trim() }))}>Answer</button>
        <button type="button" aria-pressed={remembering} onClick={() => go(`#/ask?recall=${encodeURIComponent(typed.trim())}`)}>Recall sessions</button>
      </div>
      <form class="ask-field" onSubmit={(event) => { event.preventDefault(); submit(); }}>
        <input ref={field} aria-label={remembering ? "What earlier sessions said or did" : "Question"} placeholder={remembering ? "why do retries need a key" : "how long do sessions live, and where is that set?"} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit" class="button primary" disabled={!typed.trim()}>{remembering ? "Search" : "Ask"}</button>
      </form>
      {remembering ? <Recall query={recall} id={route.parameters.get("id")} /> : question ? <Answered question={question} /> : (
        <Empty title="Ask in your own words">
          <ul class="plain-list">{SAMPLES.map((one) => <li key={one}><a href={link("ask", "", { q: one })}>{one}</a></li>)}</ul>
        </Empty>
      )}
    </Page>
  );
}

function Answered({ question }: { question: string }) {
  const found = useLoad<Answer>(`ask ${question}`, (signal) => request<Answer>("/v1/ask", { body: { question }, signal }));
  if (found.error) return <Problem error={found.error} retry={found.reload} line={`dmm ask ${quote(question)}`} />;
  if (!found.data) return <Loading what="Reading memory, sessions and code" />;
  const told = found.data;
  const memories = told.layer1_search.memories ?? [];
  const metrics = told.prompt_metrics;
  return (
    <div class="answered">
      <Section title="Answer" count={<>profile {told.mapping_decision.profile}</>}>
        {told.answer.points.length ? (
          <ol class="points">{told.answer.points.map((one, place) => <li key={place}><p>{words(one.text, 1200)}</p><Cite cite={one.cite} /></li>)}</ol>
        ) : <Empty title="No evidence was found">Nothing is made up instead.</Empty>}
        {told.answer.missing.length ? <p class="hint"><Tag tone="warn">no evidence for</Tag> {words(told.answer.missing.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", "), 500)}</p> : null}
        {told.execution_critic?.stuck_detected ? <p class="hint"><Tag tone="warn">the session seems stuck</Tag> {words(told.execution_critic.recommendation, 400)}</p> : null}
        {(told.layer1_search.notices ?? []).map((one, place) => <p class="quiet" key={place}>{words(typeof one === "string" ? one : JSON.stringify(one), 300)}</p>)}
      </Section>
      <Evidence title="Memories" units={memories} />
      <Evidence title="Code" units={told.repo_context} />
      <Evidence title="Sessions" units={told.layer3_observations} />
      <Section title="Coverage" count={told.coverage_gate.enforced ? (told.coverage_gate.pass ? "enough" : "not enough") : "not required for this question"}>
        <ul class="coverage">
          {told.coverage_9_section.map((one) => <li key={one.section} title={one.meaning}><Tag tone={one.covered ? "good" : "plain"}>{one.covered ? one.section : `${one.section}: nothing`}</Tag></li>)}
        </ul>
      </Section>
      <Section title="Prompt for an agent" count={`${count(told.token_estimate)} of ${count(metrics.budget)} tokens`}>
        <Bar value={metrics.total} of={metrics.budget} />
        <details><summary>Show the prompt</summary><pre class="code" tabIndex={0}>{words(told.suggested_prompt, 12_000)}</pre></details>
      </Section>
      <Command line={`dmm ask ${quote(question)}`} />
    </div>
  );
}

const MOST = 8;

function Evidence({ title, units }: { title: string; units: Unit[] }) {
  if (units.length === 0) return null;
  return (
    <Section title={title} count={plural(units.length, "piece")}>
      {units.slice(0, MOST).map((one) => (
        <div class="evidence" key={one.id}>
          <details>
            <summary>{words(one.title || one.path || one.id, 160)}</summary>
            <Foreign trust={one.low_trust}><pre class="code" tabIndex={0}>{words(one.text.trim(), 6000)}</pre></Foreign>
          </details>
          <Cite cite={one.source === "code" ? one.id : one.cite} />
        </div>
      ))}
    </Section>
  );
}
