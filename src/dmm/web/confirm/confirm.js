// Confirms with a passkey what a command in a terminal asks. All text is set as text.

const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", "/confirm.html");
const part = (id) => document.getElementById(id);
// What can't be seen, or moves other words, is shown by its code.
const HIDDEN = /(?! )[\p{C}\p{Z}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]/gu;
const show = (text) => text.replace(HIDDEN, (one) => `<U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
const say = (text) => { part("state").textContent = text; };

async function ask(path, body) {
  const headers = { "X-DMM-Page": "1" };
  if (body) headers["Content-Type"] = "application/json";
  const method = body ? "POST" : "GET";
  const reply = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const told = await reply.json();
  if (!reply.ok) throw new Error([told.error.what, told.error.hint].filter(Boolean).join(": "));
  return told;
}

function toBytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function toText(bytes) {
  const plain = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function sign(asked) {
  const known = asked.credentials.map((id) => ({ type: "public-key", id: toBytes(id) }));
  const made = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(asked.challenge),
      rpId: asked.rp_id,
      allowCredentials: known,
      userVerification: "required",
    },
  });
  return {
    id: toText(made.rawId),
    client_data: toText(made.response.clientDataJSON),
    authenticator_data: toText(made.response.authenticatorData),
    signature: toText(made.response.signature),
  };
}

async function confirm(path, asked) {
  part("confirm").disabled = true;
  try {
    await ask(path, { credential: await sign(asked) });
    say("Confirmed. The command goes on; you can close this page.");
  } catch (error) {
    part("confirm").disabled = false;
    say(`Not confirmed: ${error.message}`);
  }
}

async function start() {
  const here = await ask("/v1/session");
  if (!here.signed_in) await ask("/v1/session", { code: given.get("code") ?? "" });
  const path = `/v1/confirmations/${encodeURIComponent(given.get("id") ?? "")}`;
  const asked = await ask(path);
  part("line").textContent = show(asked.on);
  if (asked.digest) part("digest").textContent = `Digest of the text: ${asked.digest}`;
  if (asked.shared.length) {
    part("told").hidden = false;
    part("shared").textContent = asked.shared.map(show).join("\n");
    const unknown = asked.unknown.map(show).join(", ");
    if (unknown) part("unknown").textContent = `Your team does not know these passkeys, which can't confirm this: ${unknown}`;
  }
  part("confirm").addEventListener("click", () => confirm(path, asked));
  part("confirm").disabled = false;
  part("confirm").focus();
  say("");
}

start().catch((error) => say(error.message));
