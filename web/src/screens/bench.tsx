/** The bench: compile a sentence, try calls against it and the rules in force, then add it. */

import { useEffect, useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { Button, Command, Head, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { decide } from "../proof";
import { go, link } from "../router";
import { loadDraft, saveDraft, tell } from "../state";
import { quote } from "../text";
import type { Rule } from "../types";
import { Rehearsal } from "./rehearsal";
import { RuleBody } from "./rule";
import { STATE_TONES } from "./rules";

interface Compiled extends Rule { of: string; would_block?: string | null; would_allow?: string | null }

const PAUSE = 400;

export function Bench({ onAdded }: { onAdded: () => void }) {
  const [text, setText] = useState(loadDraft("bench") ?? "");
  const [level, setLevel] = useState("deny");
  const [compiled, setCompiled] = useState<Compiled | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const sentence = text.trim();
  const asked = `${level} ${sentence}`;
  useEffect(() => {
    saveDraft("bench", text || null);
    if (sentence.length < 4) {
      setCompiled(null);
      setError(null);
      return;
    }
    const control = new AbortController();
    const timer = setTimeout(() => {
      request<Compiled>("/v1/rules/compile", { body: { text: sentence, level }, signal: control.signal })
        .then((found) => { setCompiled({ ...found, of: asked }); setError(null); })
        .catch((problem: unknown) => {
          if (control.signal.aborted || !(problem instanceof ApiError)) return;
          setCompiled(null);
          setError(problem);
        });
    }, PAUSE);
    return () => { clearTimeout(timer); control.abort(); };
  }, [sentence, level]);

  // What is added is the rule that is shown, not one that is still being compiled.
  const ready = compiled?.of === asked;
  const add = async (): Promise<void> => {
    try {
      const made = await decide<Rule>({ action: "add_rule", id: "", digest: compiled?.digest, what: `Add the rule: ${sentence}`, path: "/v1/rules", body: { text: sentence, level, seen: compiled?.digest } });
      setText("");
      saveDraft("bench", null);
      tell(`Added: ${made.title}`);
      onAdded();
      go(link("rules", made.id));
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
    }
  };
  return (
    <article aria-label="New rule">
      <Head level={2} title="New rule" facts="Nothing is saved until you add it" line={`dmm rules add ${sentence ? quote(sentence) : '"never push to main"'}`} />
      <form class="ask-field" onSubmit={(event) => { event.preventDefault(); if (ready) void add(); }}>
        <input aria-label="Rule in a sentence" placeholder="never push to main" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <select aria-label="Level" value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
          <option value="deny">deny</option><option value="ask">ask</option><option value="warn">warn</option><option value="advise">advise</option>
        </select>
        <button type="submit" class="button primary" disabled={!ready}>Add rule</button>
      </form>
      {error ? <Problem error={error} line={`dmm rules add ${quote(sentence)}`} /> : null}
      {compiled ? (
        <>
          <p class="compiled" role="status">compiled as <Tag tone={STATE_TONES[compiled.state]} sign={false}>{compiled.state}</Tag></p>
          {compiled.state === "advice" ? <p class="hint">Agents read it, nothing stops them. A matcher makes it binding; your agent can write it: <code>dmm rules draft</code></p> : null}
          <RuleBody rule={{ ...compiled, examples: compiled.examples ?? { block: compiled.would_block ? [compiled.would_block] : [], allow: compiled.would_allow ? [compiled.would_allow] : [] } }} />
          <Rehearsal rule={sentence} />
        </>
      ) : null}
      <Try />
    </article>
  );
}

const KINDS = [["command", "Command"], ["write", "File to write"], ["read", "File to read"], ["decision", "Decision"]] as const;
type Kind = (typeof KINDS)[number][0];
const OUTCOMES: Record<string, string> = { allowed: "good", warned: "warn", asks: "ask", denied: "block" };
const HINTS: Record<Kind, string> = { command: "git push origin main", write: "migrations/001.sql", read: ".env", decision: "Deploy the API on Friday" };

interface Verdict { call?: string; outcome: string; rule?: string | null; title?: string | null; reason?: string | null; suggestion?: string | null; findings?: { rule: string; title: string; outcome: string; reason: string }[] }

/** A reason in which the name of its rule leads to the rule. */
function Reason({ text, rule }: { text: string; rule: string | null }) {
  const at = rule ? text.indexOf(rule) : -1;
  if (!rule || at < 0) return <>{words(text, 600)}{rule ? <> <a href={link("rules", rule)}>{words(rule, 80)}</a></> : null}</>;
  return <>{words(text.slice(0, at), 600)}<a href={link("rules", rule)}>{words(rule, 80)}</a>{words(text.slice(at + rule.length), 600)}</>;
}

const lineOf = (kind: Kind, text: string): string => (kind === "command" ? `dmm check ${quote(text)}` : `dmm check --${kind} ${quote(text)}${kind === "write" ? " < text" : ""}`);

function Try() {
  const [kind, setKind] = useState<Kind>("command");
  const [text, setText] = useState("");
  const [content, setContent] = useState("");
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const check = async (): Promise<void> => {
    try {
      setError(null);
      setVerdict(await request<Verdict>("/v1/check", { body: { [kind]: text.trim(), ...(kind === "write" && content ? { text: content } : {}) } }));
    } catch (problem) {
      setVerdict(null);
      if (problem instanceof ApiError) setError(problem);
    }
  };
  return (
    <Section title="Try a call against the rules in force">
      <div class="segments" role="group" aria-label="What to try">
        {KINDS.map(([name, label]) => <button key={name} type="button" aria-pressed={kind === name} onClick={() => { setKind(name); setVerdict(null); }}>{label}</button>)}
      </div>
      <form class="ask-field" onSubmit={(event) => { event.preventDefault(); if (text.trim()) void check(); }}>
        <input class="mono" aria-label={KINDS.find(([name]) => name === kind)?.[1]} placeholder={HINTS[kind]} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Button onClick={() => void check()} disabled={!text.trim()}>Check</Button>
      </form>
      {kind === "write" ? (
        <label class="field"><span>Text that is written (optional)</span><textarea class="mono" rows={4} value={content} onInput={(event) => setContent(event.currentTarget.value)} /></label>
      ) : null}
      {error ? <Problem error={error} /> : null}
      <div role="status">
        {verdict ? (
          <div class="verdict">
            <Tag tone={OUTCOMES[verdict.outcome] ?? "plain"}>{verdict.outcome}</Tag>
            <span><Reason text={verdict.reason || "No rule blocks this."} rule={verdict.rule ?? null} /></span>
            {verdict.suggestion ? <span class="quiet">{words(verdict.suggestion, 400)}</span> : null}
          </div>
        ) : null}
      </div>
      {text.trim() ? <Command line={lineOf(kind, text.trim())} /> : null}
    </Section>
  );
}
