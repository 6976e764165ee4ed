/** A person's proof for a decision: a passkey, or a code that is shown on the terminal. */

import { signal } from "@preact/signals";
import { ApiError, request } from "./api";

export type Action = "approve" | "reject" | "edit" | "undo" | "resolve" | "accept_rule" | "disable_rule" | "enable_rule" | "edit_rule" | "add_rule" | "enroll" | "remove_passkey";

export interface Confirmation {
  id: string;
  how: "passkey" | "code" | "none";
  challenge?: string;
  rp_id?: string;
  credentials?: string[];
  expires_in?: number;
}

interface Proof {
  confirmation: string;
  code?: string;
  credential?: { id: string; client_data: string; authenticator_data: string; signature: string };
}

/** The question for a code that is open; the dialog in the shell answers it. */
export const question = signal<{ what: string; problem: string | null; answer: (code: string | null) => void } | null>(null);

/** Thrown when the person closes the question. */
export class Withdrawn extends Error {}

export interface Deciding {
  action: Action;
  id: string;
  /** The digest of the text that was shown, or the new text itself. */
  digest?: string;
  content?: string;
  /** What is decided, in words, for the question. */
  what: string;
  path: string;
  body: Record<string, unknown>;
  method?: string;
}

/** Send a decision with its proof; asks again while the code is wrong. */
export async function decide<T>(asked: Deciding): Promise<T> {
  let problem: string | null = null;
  for (;;) {
    const proof = await prove(asked, problem);
    try {
      const body = proof ? { ...asked.body, proof } : asked.body;
      return await request<T>(asked.path, { body, method: asked.method });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "proof_refused" || !proof?.code) throw error;
      problem = [error.what, error.hint].filter(Boolean).join(": ");
    }
  }
}

async function prove(asked: Deciding, problem: string | null): Promise<Proof | null> {
  const found = await request<Confirmation>("/v1/confirmations", { body: { action: asked.action, id: asked.id, digest: asked.digest, content: asked.content } });
  if (found.how === "none") return null;
  if (found.how === "passkey") return { confirmation: found.id, credential: await sign(found) };
  return { confirmation: found.id, code: await ask(asked.what, problem) };
}

function ask(what: string, problem: string | null): Promise<string> {
  return new Promise((resolve, reject) => {
    question.value = {
      what,
      problem,
      answer: (code) => {
        question.value = null;
        if (code === null) reject(new Withdrawn("withdrawn"));
        else resolve(code);
      },
    };
  });
}

/** Have a passkey sign what is decided. */
export async function sign(found: Confirmation): Promise<NonNullable<Proof["credential"]>> {
  let credential: Credential | null;
  try {
    credential = await navigator.credentials.get({
      publicKey: {
        challenge: fromBase64(found.challenge ?? ""),
        rpId: found.rp_id,
        allowCredentials: (found.credentials ?? []).map((id) => ({ type: "public-key" as const, id: fromBase64(id) })),
        userVerification: "required",
      },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotAllowedError") throw new Withdrawn("withdrawn");
    throw error;
  }
  const { rawId, response } = credential as PublicKeyCredential & { response: AuthenticatorAssertionResponse };
  return {
    id: toBase64(rawId),
    client_data: toBase64(response.clientDataJSON),
    authenticator_data: toBase64(response.authenticatorData),
    signature: toBase64(response.signature),
  };
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

export function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
