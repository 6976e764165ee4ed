/** One event as one line, with the way to what it is about. */

import { Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { link } from "../router";
import type { Brief, Ref } from "../types";

/** Where the thing that an event is about is shown. */
export function refLink(ref: Ref | null, seq: number): string {
  switch (ref?.kind) {
    case "pack": return link("pack", ref.id);
    case "proposal": return link("review", String(ref.id).startsWith("proposal_") ? ref.id : `proposal_${ref.id}`);
    case "rule": return link("rules", ref.id);
    case "memory": return link("memory", ref.id);
    case "conflict": return link("conflicts", ref.id);
    case "session": return link("session", ref.id);
    default: return link("ledger", seq);
  }
}

/** Of what the team is told: whether it was sent. */
export const TEAM = ["team: waits", "team"];

export const WORDS: Record<string, string> = { good: "done", warn: "warned", ask: "asks", block: "blocked" };

/** `sent` is there for what the team is told, and says whether it was. */
export function BriefRow({ event, chosen, sent }: { event: Brief; chosen?: boolean; sent?: boolean }) {
  return (
    <a class={`event-row ${event.tone}`} href={refLink(event.ref, event.seq)} aria-current={chosen ? "true" : undefined}>
      <span class="seq">{event.seq}</span>
      <Time at={event.at} />
      <span class="line">{event.tone === "plain" ? null : <><Tag tone={event.tone}>{WORDS[event.tone]}</Tag> </>}{sent === undefined ? null : <><Tag sign={false}>{TEAM[Number(sent)]}</Tag> </>}{words(event.line, 300)}</span>
      <span class="who">{words(event.client ?? event.actor, 40)}</span>
    </a>
  );
}
