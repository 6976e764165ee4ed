/** The dialog that asks for the code which `dmm ui` shows on its terminal. */

import { useEffect, useRef, useState } from "preact/hooks";
import { question } from "../proof";
import { Dialog } from "./dialog";
import { Button } from "./ui";
import { words } from "./words";

export function Question() {
  const asked = question.value;
  if (!asked) return null;
  return <Asked key={asked.problem} what={asked.what} problem={asked.problem} answer={asked.answer} />;
}

function Asked({ what, problem, answer }: { what: string; problem: string | null; answer: (code: string | null) => void }) {
  const [code, setCode] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (event: Event): void => {
    event.preventDefault();
    if (code.trim()) answer(code.trim());
  };
  return (
    <Dialog title="Confirm that it is you" onClose={() => answer(null)}>
      <form onSubmit={send}>
        <h2>Confirm that it is you</h2>
        <p>{words(what)}</p>
        <label class="field">
          <span>Code from the terminal where <code>dmm ui</code> runs</span>
          <input ref={field} class="mono" value={code} autoComplete="one-time-code" spellcheck={false} onInput={(event) => setCode(event.currentTarget.value)} aria-describedby={problem ? "code-problem" : undefined} />
        </label>
        {problem ? <p id="code-problem" class="block-text" role="alert">{words(problem)}</p> : null}
        <p class="quiet">A passkey is stronger: it can't be read by a program. Add one under Health.</p>
        <div class="actions end">
          <Button kind="quiet" onClick={() => answer(null)}>Cancel</Button>
          <button type="submit" class="button primary" disabled={!code.trim()}>Confirm</button>
        </div>
      </form>
    </Dialog>
  );
}
