/** The door: how to sign in, and why a code did not work. */

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ApiError, connection, request } from "./api";
import { enter } from "./app";
import { Command } from "./parts/ui";
import { words } from "./parts/words";

export const signInProblem = signal<ApiError | null>(null);

export function SignInScreen() {
  const [code, setCode] = useState("");
  const problem = signInProblem.value;
  const away = connection.value === "lost";
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    // A whole address may be pasted too.
    const plain = /code=([\w-]+)/.exec(code)?.[1] ?? code.trim();
    try {
      await request("/v1/session", { body: { code: plain }, anyProject: true });
      signInProblem.value = null;
      setCode("");
      await enter();
    } catch (error) {
      if (error instanceof ApiError) signInProblem.value = error;
    }
  };
  return (
    <main class="alone" aria-labelledby="door">
      <div class="door">
        <p class="brand">DMM</p>
        <h1 id="door">{away ? "The daemon is not running" : "Sign in"}</h1>
        {problem && !away ? (
          <p role="alert" class="problem">{words(problem.what)} A code works once and for a minute. If you did not use it yourself, sign out everywhere: <code>dmm ui --sign-out</code></p>
        ) : null}
        <p>Run this in a terminal. It opens this page and signs you in:</p>
        <Command line="dmm ui" />
        <form onSubmit={(event) => void send(event)}>
          <label class="field">
            <span>Or paste the code that it prints</span>
            <input class="mono" value={code} onInput={(event) => setCode(event.currentTarget.value)} autoComplete="off" spellcheck={false} />
          </label>
          <button type="submit" class="button primary" disabled={!code.trim() || away}>Sign in</button>
        </form>
        <p class="quiet">Everything here stays on this machine.</p>
      </div>
    </main>
  );
}
