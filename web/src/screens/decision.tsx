/** The decision on a proposal: choose, then confirm; never two at once. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api";
import { useKeys } from "../keys";
import { TeamTold } from "../parts/team";
import { Button, Problem } from "../parts/ui";
import { words } from "../parts/words";
import { decide, Withdrawn, type Action } from "../proof";
import { loadDraft, saveDraft, tell } from "../state";
import { numberOf } from "../text";
import type { Proposal } from "../types";
import { Editor } from "./editor";

type Step = "idle" | "approve" | "reject" | "edit" | "undo";

/** `shown` says whether the whole change was on the screen: nobody approves what they could not read. */
export function Decision({ proposal, shown, onDecided, onChanged }: { proposal: Proposal; shown: boolean; onDecided: () => void; onChanged: () => void }) {
  const draft = `edit.${proposal.id}`;
  const [step, setStep] = useState<Step>(() => (proposal.status === "pending" && loadDraft(draft) ? "edit" : "idle"));
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const confirm = useRef<HTMLDivElement>(null);
  const group = useRef<HTMLDivElement>(null);
  const waits = proposal.status === "pending";
  const failed = proposal.checks.filter((one) => one.outcome === "fail").length;
  const text = proposal.edits.find((one) => one.after !== null)?.after ?? null;

  const choose = (to: Step): void => {
    setError(null);
    setReason("");
    setStep(to);
  };
  const back = (): void => {
    choose("idle");
    // The buttons are there again after the next paint.
    requestAnimationFrame(() => group.current?.querySelector("button")?.focus());
  };

  // Before the next key: what is typed right after `r` is the reason, not shortcuts.
  useLayoutEffect(() => {
    if (step === "idle" || step === "edit") return;
    confirm.current?.querySelector<HTMLElement>("textarea, input, button:not(:disabled)")?.focus();
  }, [step]);

  const send = async (action: Action, body: Record<string, unknown>, done: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(null);
    const path = action === "undo" ? "/v1/undo" : `/v1/proposals/${encodeURIComponent(proposal.id)}/${action}`;
    try {
      const bound = action === "edit" ? { content: String(body["content"]) } : { digest: proposal.digest };
      await decide({ action, id: proposal.id, ...bound, what: `${WORDS[action]} ${proposal.id}: ${proposal.operation} ${proposal.path}`, path, body });
      tell(`${proposal.id} ${done}`);
      if (action === "edit") {
        saveDraft(draft, null);
        setStep("idle");
        onChanged();
      } else if (action === "undo") onChanged();
      else onDecided();
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      else if (!(problem instanceof Withdrawn)) setError(new ApiError(0, "unforeseen", String(problem), null, null));
    } finally {
      setBusy(false);
    }
  };
  const seen = proposal.digest;
  const approve = (): void => void (shown && send("approve", { seen, reason, ...(failed ? { bypass_reviewer: true } : {}) }, "approved and applied"));
  const reject = (): void => void (reason.trim() && send("reject", { seen, reason: reason.trim() }, "rejected"));
  const undo = (): void => void send("undo", { seq: Number(numberOf(proposal.id)), seen, reason }, "undone");

  useKeys("This proposal", [
    { key: "a", label: "Approve, then Enter", run: () => choose("approve"), when: waits && step !== "edit" },
    { key: "r", label: "Reject, with a reason", run: () => choose("reject"), when: waits && step !== "edit" },
    { key: "e", label: "Edit the proposed text", run: () => choose("edit"), when: waits && text !== null && step !== "edit" },
    { key: "z", label: "Undo, then Enter", run: () => choose("undo"), when: proposal.status === "applied" },
    { key: "Enter", label: "Confirm", run: () => (step === "approve" ? approve() : step === "undo" ? undo() : undefined), when: step === "approve" || step === "undo" },
    { key: "Escape", label: "Cancel", run: back, when: step !== "idle" && step !== "edit" },
  ]);

  if (!waits && proposal.status !== "applied") return null;
  return (
    <div class="decision" role="group" aria-label="Decision" ref={group}>
      {step === "idle" && waits ? (
        <div class="actions">
          <Button kind="primary" hint="a" onClick={() => choose("approve")}>Approve</Button>
          <Button hint="r" onClick={() => choose("reject")}>Reject…</Button>
          {text === null ? null : <Button hint="e" onClick={() => choose("edit")}>Edit</Button>}
        </div>
      ) : null}
      {step === "idle" && !waits ? <div class="actions"><Button hint="z" onClick={() => choose("undo")}>Undo…</Button></div> : null}
      {step === "approve" ? (
        <div class="confirm" ref={confirm}>
          <p>{failed ? <strong class="block-text">{failed === 1 ? "A check failed." : `${failed} checks failed.`} </strong> : null}Write <span class="mono">{words(proposal.path, 200)}</span> as it is shown here?</p>
          <TeamTold action="approve" id={proposal.id} />
          {shown ? null : <p class="block-text">Some lines of the change are not shown yet. Show them first.</p>}
          <div class="actions">
            <Button kind={failed ? "danger" : "primary"} hint="⏎" disabled={busy || !shown} onClick={approve}>{failed ? "Approve anyway" : "Confirm approval"}</Button>
            <Button kind="quiet" hint="Esc" onClick={back}>Cancel</Button>
          </div>
        </div>
      ) : null}
      {step === "undo" ? (
        <div class="confirm" ref={confirm}>
          <p>Undo this change? The undo is a new write.</p>
          <div class="actions">
            <Button kind="danger" hint="⏎" disabled={busy} onClick={undo}>Confirm undo</Button>
            <Button kind="quiet" hint="Esc" onClick={back}>Cancel</Button>
          </div>
        </div>
      ) : null}
      {step === "reject" ? (
        <form class="confirm" onSubmit={(event) => { event.preventDefault(); reject(); }}>
          <div ref={confirm}>
            <label class="field"><span>Reason (shown to the agent)</span>
              <input value={reason} maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} />
            </label>
            <TeamTold action="reject" id={proposal.id} />
            <div class="actions">
              <button type="submit" class="button danger" disabled={busy || !reason.trim()}>Confirm rejection</button>
              <Button kind="quiet" hint="Esc" onClick={back}>Cancel</Button>
            </div>
          </div>
        </form>
      ) : null}
      {step === "edit" ? <TeamTold action="edit" id={proposal.id} /> : null}
      {step === "edit" && text !== null ? (
        <Editor
          draft={draft}
          path={proposal.path}
          text={text}
          label="Proposed text"
          save="Save as the proposed text"
          busy={busy}
          onSave={(content) => void send("edit", { content, seen, reason: "edited in the web UI" }, "has the new text")}
          onCancel={() => { saveDraft(draft, null); back(); }}
        />
      ) : null}
      {error ? <Problem error={error} retry={error.code === "review_refused" || error.status === 409 ? onChanged : undefined} /> : null}
    </div>
  );
}

const WORDS: Partial<Record<Action, string>> = { approve: "Approve", reject: "Reject", edit: "Change", undo: "Undo" };
