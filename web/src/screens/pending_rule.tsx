/** A rule that an agent proposed: what it would do, and a person's yes. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { useKeys } from "../keys";
import { TeamTold } from "../parts/team";
import { Button, Head, Problem, Section, Tag, Time } from "../parts/ui";
import { Foreign, words } from "../parts/words";
import { decide, Withdrawn } from "../proof";
import { useGet } from "../resource";
import { go, link } from "../router";
import { tell } from "../state";
import type { EventWhole, PendingRule } from "../types";
import { Value } from "./event";
import { Rehearsal } from "./rehearsal";

export function PendingPage({ rule, onAccepted }: { rule: PendingRule; onAccepted: () => void }) {
  const event = useGet<EventWhole>(`/v1/ledger/events/${rule.seq}`);
  const [armed, setArmed] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const confirm = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (armed) confirm.current?.querySelector("button")?.focus();
  }, [armed]);
  useKeys("This rule", [
    { key: "a", label: "Accept, then Enter", run: () => setArmed(true) },
    { key: "Escape", label: "Cancel", run: () => setArmed(false), when: armed },
  ]);
  const accept = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const name = String(rule.seq);
      await decide({ action: "accept_rule", id: name, digest: rule.digest, what: `Accept the rule: ${rule.text}`, path: "/v1/rules/accept", body: { names: [name], seen: rule.digest } });
      tell(`Accepted: ${rule.text}`);
      onAccepted();
      go(link("rules", rule.id ?? ""), true);
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      else if (!(problem instanceof Withdrawn)) throw problem;
    } finally {
      setBusy(false);
    }
  };
  return (
    <article aria-label={`Pending rule ${rule.seq}`}>
      <p class="back"><a href={link("rules")}>All rules</a></p>
      <Head level={2} title={words(rule.text, 400)} facts={<><Tag tone="warn">pending</Tag>{event.data ? <Time at={event.data.at} /> : null}</>} line={`dmm rules accept ${rule.seq}`} json="/v1/rules/pending" />
      <div class="decision" role="group" aria-label="Decision">
        {armed ? (
          <div class="confirm" ref={confirm}>
            <p>Agents will have to follow it.</p>
            <TeamTold action="accept_rule" id={String(rule.seq)} />
            <div class="actions">
              <Button kind="primary" hint="⏎" disabled={busy} onClick={() => void accept()}>Confirm: accept</Button>
              <Button kind="quiet" hint="Esc" onClick={() => setArmed(false)}>Cancel</Button>
            </div>
          </div>
        ) : <div class="actions"><Button kind="primary" hint="a" onClick={() => setArmed(true)}>Accept</Button></div>}
        {error ? <Problem error={error} /> : null}
      </div>
      <dl class="about">
        <div><dt>proposed by</dt><dd>{words(rule.actor ?? rule.trust, 60)}{rule.session ? <> in <a href={link("session", rule.session)}>session {words(rule.session, 40)}</a></> : null}</dd></div>
        <div><dt>until then</dt><dd>it can only ask</dd></div>
      </dl>
      <Rehearsal rule={rule.text} />
      {event.data ? <Section title="As it was proposed"><Foreign trust={rule.trust}><Value value={event.data.payload} depth={0} /></Foreign></Section> : null}
    </article>
  );
}
