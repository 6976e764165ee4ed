/** One rule: what it matches, its examples, what it stopped, and changes of it. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { useKeys } from "../keys";
import { TeamTold } from "../parts/team";
import { Button, Head, Loading, Problem, Section, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { type Action, decide, Withdrawn } from "../proof";
import { useGet } from "../resource";
import { link } from "../router";
import { loadDraft, saveDraft, tell } from "../state";
import { plural } from "../text";
import type { Rule } from "../types";
import { Rehearsal } from "./rehearsal";
import { Loose } from "./proposal";
import { STATE_TONES, stateOf } from "./rules";

type Step = "disable" | "enable" | "edit";

export function RulePage({ id, onChanged }: { id: string; onChanged: () => void }) {
  const address = `/v1/rules/${encodeURIComponent(id)}`;
  const found = useGet<Rule>(address);
  const draft = `rule.${id}`;
  const [step, setStep] = useState<Step | null>(() => (loadDraft(draft) ? "edit" : null));
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const confirm = useRef<HTMLDivElement>(null);
  const rule = found.data;
  const state = rule ? stateOf(rule) : "";
  const disabled = state === "disabled";
  const file = rule?.kind === "file";
  useKeys("This rule", [
    { key: "e", label: "Edit the file", run: () => setStep("edit"), when: file && step !== "edit" },
    { key: "Escape", label: "Cancel", run: () => setStep(null), when: step !== null && step !== "edit" },
  ]);
  useEffect(() => confirm.current?.querySelector("button")?.focus(), [step]);
  if (found.error) return <><Head level={2} title={words(id)} line={`dmm rules show ${id}`} /><Problem error={found.error} retry={found.reload} /></>;
  if (!rule) return <Loading />;

  const send = async (what: Step, source?: string): Promise<void> => {
    const action: Action = `${what}_rule`;
    setBusy(true);
    setError(null);
    try {
      await decide({ action, id, content: source, digest: rule.digest, what: `${what} rule ${id}: ${rule.title}`, path: `${address}/${what}`, body: what === "edit" ? { source } : { seen: rule.digest } });
      saveDraft(draft, null);
      setStep(null);
      tell(`${id}: ${what === "edit" ? "changed" : `${what}d`}`);
      found.reload();
      onChanged();
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      else if (!(problem instanceof Withdrawn)) throw problem;
    } finally {
      setBusy(false);
    }
  };
  return (
    <article aria-label={`Rule ${id}`}>
      <p class="back"><a href={link("rules")}>All rules</a></p>
      <Head level={2} title={words(rule.title, 400)} facts={<><Tag tone={STATE_TONES[state]} sign={false}>{state}</Tag>{rule.stopped ? <span>stopped {plural(rule.stopped, "call")}</span> : null}</>} line={`dmm rules show ${id}`} json={address} />
      <div class="decision" role="group" aria-label="Decision">
        {step === null ? (
          <div class="actions">
            {!disabled ? <Button onClick={() => setStep("disable")}>Disable…</Button> : null}
            {disabled ? <Button onClick={() => setStep("enable")}>Enable…</Button> : null}
            {file ? <Button hint="e" onClick={() => setStep("edit")}>Edit</Button> : null}
          </div>
        ) : step === "edit" ? (
          <RuleEditor draft={draft} text={rule.source ?? ""} busy={busy} onSave={(source) => void send("edit", source)} onCancel={() => { saveDraft(draft, null); setStep(null); }} />
        ) : (
          <div class="confirm" ref={confirm}>
            <p>{step === "disable" ? "Agents no longer have to follow it." : "Agents will have to follow it."}</p>
            <TeamTold action={`${step}_rule`} id={id} />
            <div class="actions">
              <Button kind={step === "disable" ? "danger" : "primary"} disabled={busy} hint="⏎" onClick={() => void send(step)}>{`Confirm: ${step}`}</Button>
              <Button kind="quiet" hint="Esc" onClick={() => setStep(null)}>Cancel</Button>
            </div>
          </div>
        )}
        {error ? <Problem error={error} /> : null}
      </div>
      <RuleBody rule={rule} />
      <Rehearsal rule={id} />
      {rule.source ? <Section title="File"><pre class="code" tabIndex={0}>{words(rule.source)}</pre></Section> : null}
    </article>
  );
}

/** What a rule does, in plain words and by examples; also for one that is only tried. */
export function RuleBody({ rule }: { rule: Pick<Rule, "matches" | "examples" | "why" | "origin" | "level"> }) {
  return (
    <>
      <Section title="Matches">
        {rule.matches?.length ? <ul class="plain-list">{rule.matches.map((one, place) => <li key={place}>{words(one, 600)}</li>)}</ul> : <p class="quiet">It has no matcher: agents read it as advice.</p>}
        {rule.why ? <p class="quiet">Why: {words(rule.why, 600)}</p> : null}
      </Section>
      <div class="sides">
        <figure><figcaption><Tag tone="block">blocks</Tag></figcaption><Examples items={rule.examples?.block} /></figure>
        <figure><figcaption><Tag tone="good">allows</Tag></figcaption><Examples items={rule.examples?.allow} /></figure>
      </div>
    </>
  );
}

function Examples({ items }: { items: unknown[] | undefined }) {
  if (!items?.length) return <p class="quiet">no example</p>;
  return <ul class="plain-list mono">{items.slice(0, 12).map((one, place) => <li key={place}><Loose value={one} /></li>)}</ul>;
}

function RuleEditor({ draft, text, busy, onSave, onCancel }: { draft: string; text: string; busy: boolean; onSave: (text: string) => void; onCancel: () => void }) {
  const [value, setValue] = useState(loadDraft(draft) ?? text);
  const change = (to: string): void => {
    setValue(to);
    saveDraft(draft, to === text ? null : to);
  };
  return (
    <form class="editor" onSubmit={(event) => { event.preventDefault(); onSave(value); }}>
      <label class="field"><span>Text of the rule file</span>
        <textarea class="mono" rows={16} value={value} spellcheck={false} onInput={(event) => change(event.currentTarget.value)} />
      </label>
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || value === text}>Save the rule</button>
        <Button kind="quiet" onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
