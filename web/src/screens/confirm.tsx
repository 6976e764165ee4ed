/** What a command in a terminal asks a person to confirm with a passkey. */

import { useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { Button, Head, Loading, Page, Problem } from "../parts/ui";
import { words } from "../parts/words";
import { type Confirmation, sign, Withdrawn } from "../proof";
import { useGet } from "../resource";
import { link, type Route } from "../router";

interface Asked extends Confirmation { action: string; on: string; digest: string }

export function Confirm({ route }: { route: Route }) {
  const address = `/v1/confirmations/${encodeURIComponent(route.rest)}`;
  const found = useGet<Asked>(address);
  const [error, setError] = useState<ApiError | null>(null);
  const [done, setDone] = useState(false);
  const asked = found.data;
  const confirm = async (): Promise<void> => {
    if (!asked) return;
    setError(null);
    try {
      await request(address, { body: { credential: await sign(asked) } });
      setDone(true);
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      else if (!(problem instanceof Withdrawn)) setError(new ApiError(0, "passkey", String(problem), null, null));
    }
  };
  return (
    <Page>
      <Head title="Confirm for the terminal" />
      {found.error && !done ? <Problem error={found.error} /> : null}
      {found.loading ? <Loading /> : null}
      {done ? <p class="hint" role="status">Confirmed. The command in the terminal goes on.</p> : null}
      {asked && !done ? (
        <>
          <p>A command in a terminal asks you to confirm this. If you did not start it, close this page.</p>
          <dl class="about">
            <div><dt>action</dt><dd>{words(asked.action.replaceAll("_", " "))}</dd></div>
            <div><dt>on</dt><dd class="mono">{asked.on.startsWith("proposal_") ? <a href={link("review", asked.on)}>{words(asked.on)}</a> : words(asked.on, 400)}</dd></div>
            {asked.digest ? <div><dt>digest of the text</dt><dd class="mono">{asked.digest}</dd></div> : null}
          </dl>
          <div class="actions"><Button kind="primary" onClick={() => void confirm()}>Confirm with a passkey</Button></div>
        </>
      ) : null}
      {error ? <Problem error={error} /> : null}
    </Page>
  );
}
