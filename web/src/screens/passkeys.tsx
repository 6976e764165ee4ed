/** Passkeys: what proves that a person decides. */

import { useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { Button, Problem, Section, Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { decide, fromBase64, toBase64, Withdrawn } from "../proof";
import { useGet } from "../resource";
import { session, tell } from "../state";

interface Passkey { id: string; name: string; added: string; last: string | null }
interface Creation { challenge: string; rp: { id?: string; name: string }; user: { id: string; name: string; displayName: string }; pubKeyCredParams: PublicKeyCredentialParameters[]; excludeCredentials?: { id: string; type: "public-key" }[]; timeout?: number }

export function Passkeys() {
  const found = useGet<{ passkeys: Passkey[] }>("/v1/passkeys");
  const [name, setName] = useState("");
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const rows = found.data?.passkeys ?? [];
  // A passkey belongs to a name, not to an address of numbers.
  const able = "credentials" in navigator && "PublicKeyCredential" in window && !/^[\d.:[\]]+$/.test(location.hostname);

  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
      found.reload();
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      else if (problem instanceof DOMException) setError(new ApiError(0, "passkey", problem.name === "NotAllowedError" ? "The browser made no passkey." : problem.message, null, null));
      else if (!(problem instanceof Withdrawn)) throw problem;
    } finally {
      setBusy(false);
    }
  };
  const add = (): Promise<void> =>
    run(async () => {
      const asked = name.trim() || "this device";
      const act = { action: "enroll" as const, id: asked, what: `Add the passkey ${asked}` };
      const begin = { path: "/v1/passkeys/begin", body: { name: asked } };
      const options = rows.length ? await request<Creation>(begin.path, begin) : await decide<Creation>({ ...act, ...begin });
      const made = (await navigator.credentials.create({
        publicKey: {
          ...options,
          challenge: fromBase64(options.challenge),
          user: { ...options.user, id: fromBase64(options.user.id) },
          excludeCredentials: (options.excludeCredentials ?? []).map((one) => ({ ...one, id: fromBase64(one.id) })),
        },
      })) as (PublicKeyCredential & { response: AuthenticatorAttestationResponse }) | null;
      if (!made) throw new Withdrawn("withdrawn");
      // What a known passkey confirms is this new one.
      const attestation = toBase64(made.response.attestationObject);
      const body = { name: asked, id: toBase64(made.rawId), client_data: toBase64(made.response.clientDataJSON), attestation };
      await decide({ ...act, content: attestation, path: "/v1/passkeys/finish", body });
      setName("");
      tell(`Passkey ${asked} added`);
    });
  const remove = (one: Passkey): Promise<void> =>
    run(async () => {
      await decide({ action: "remove_passkey", id: one.id, what: `Remove the passkey ${one.name}`, path: `/v1/passkeys/${encodeURIComponent(one.id)}`, method: "DELETE", body: {} });
      tell(`Passkey ${one.name} removed`);
    });
  return (
    <Section title="Passkeys" count={found.data ? rows.length : undefined}>
      {found.error ? <Problem error={found.error} retry={found.reload} /> : null}
      {found.data ? (
        <>
          <p class="quiet">{rows.length ? "Your decisions here and in the terminal need one of these." : "Without a passkey a code from the terminal confirms your decisions. A program that runs as you could read that code; it can't use a passkey."}</p>
          <ul class="plain-list">
            {rows.map((one) => <li key={one.id}><strong>{words(one.name, 80)}</strong> <span class="quiet">added <Time at={one.added} />{one.last ? <>, last used <Time at={one.last} /></> : null}</span> <Button kind="quiet" disabled={busy} onClick={() => void remove(one)} label={`Remove passkey ${one.name}`}>Remove</Button></li>)}
          </ul>
          {able ? (
            <form class="ask-field" onSubmit={(event) => { event.preventDefault(); void add(); }}>
              <input aria-label="Name of the new passkey" placeholder="laptop" value={name} onInput={(event) => setName(event.currentTarget.value)} />
              <button type="submit" class="button" disabled={busy}>Add a passkey</button>
            </form>
          ) : <p class="hint">Passkeys need the address with a name that <code>dmm ui</code> opens; this one is {words(location.hostname)}.</p>}
        </>
      ) : null}
      {session.value?.passkey?.required ? <p><Tag tone="good">required</Tag></p> : null}
      {error ? <Problem error={error} /> : null}
    </Section>
  );
}
