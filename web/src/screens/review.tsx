/** Review: proposals that wait for a person, decided one by one. */

import { useEffect, useRef } from "preact/hooks";
import { address } from "../api";
import { useKeys } from "../keys";
import { Empty, Head, Loading, Problem, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { go, link, type Route } from "../router";
import { pending } from "../state";
import { age, baseName, count, folderOf, numberOf } from "../text";
import type { ProposalRow } from "../types";
import { ProposalPage } from "./proposal";

const DECIDED = ["applied", "rejected", "undone"];
const TONES: Record<string, string> = { applied: "good", rejected: "block", undone: "warn" };

export function Review({ route }: { route: Route }) {
  const waiting = useGet<{ proposals: ProposalRow[]; pending: number }>("/v1/proposals");
  const all = useGet<{ proposals: ProposalRow[] }>(address("/v1/proposals", { status: "all" }));
  const reload = (): void => {
    waiting.reload();
    all.reload();
  };
  useNews(/^(Proposal|Review|Memory|Write)/, reload);
  const rows = waiting.data?.proposals ?? [];
  const decided = (all.data?.proposals ?? []).filter((one) => DECIDED.includes(one.status)).reverse().slice(0, 12);
  const chosen = route.rest || rows[0]?.id || "";
  useEffect(() => {
    if (waiting.data) pending.value = waiting.data.pending;
  }, [waiting.data]);

  const place = rows.findIndex((one) => one.id === chosen);
  const known = useRef(place);
  if (place >= 0) known.current = place;
  const move = (by: number): void => {
    const to = rows[Math.min(rows.length - 1, Math.max(0, (place < 0 ? -1 : place) + by))];
    if (to) go(link("review", to.id));
  };
  // After a decision the next one that waits is shown; the list itself may still hold the old one.
  const next = (): void => {
    const left = rows.filter((one) => one.id !== chosen);
    const to = left[Math.min(known.current, left.length - 1)];
    reload();
    go(link("review", to?.id ?? ""), true);
  };
  useKeys("Review", [
    { key: "j", label: "Next proposal", run: () => move(1) },
    { key: "k", label: "Previous proposal", run: () => move(-1) },
    { key: "s", label: "Skip to the next", run: () => move(1) },
  ]);

  return (
    <div class={`split ${route.rest ? "inside" : ""}`}>
      <section class="side" aria-label="Proposals">
        <Head title="Review" facts={waiting.data ? `${count(rows.length)} waiting` : null} line="dmm review list" json="/v1/proposals" />
        {waiting.error ? <Problem error={waiting.error} retry={reload} line="dmm review list" /> : null}
        {waiting.loading ? <Loading /> : null}
        <nav class="rows" aria-label="Waiting proposals">
          {rows.map((one) => <Row key={one.id} proposal={one} chosen={one.id === chosen} />)}
        </nav>
        {decided.length ? (
          <>
            <h2 class="side-title">Last decided</h2>
            <nav class="rows" aria-label="Decided proposals">
              {decided.map((one) => <Row key={one.id} proposal={one} chosen={one.id === chosen} />)}
            </nav>
          </>
        ) : null}
      </section>
      <div class="detail">
        {chosen ? (
          <ProposalPage key={chosen} id={chosen} onDecided={next} onChanged={reload} />
        ) : waiting.data ? (
          <Empty title="Nothing waits for you" line="dmm review list">
            Agents propose with <code>remember</code> or <code>dmm write propose</code>; what they propose counts only after you approved it here.
          </Empty>
        ) : null}
      </div>
    </div>
  );
}

function Row({ proposal, chosen }: { proposal: ProposalRow; chosen: boolean }) {
  const { fail, warn } = proposal.checks;
  return (
    <a class="row" href={link("review", proposal.id)} aria-current={chosen ? "true" : undefined}>
      <span class="row-main">
        <span class="seq">{numberOf(proposal.id)}</span> {words(baseName(proposal.path), 80)}
        <span class="row-end">{age(proposal.at)}</span>
      </span>
      <span class="row-sub">
        {proposal.operation} in {words(folderOf(proposal.path), 80)}
        {proposal.trust === "third_party" ? <Tag tone="warn">third party</Tag> : null}
        {proposal.status !== "pending" ? <Tag tone={TONES[proposal.status]}>{proposal.status}</Tag> : null}
        {proposal.status === "pending" && fail ? <Tag tone="block">{fail} failed</Tag> : null}
        {proposal.status === "pending" && warn ? <Tag tone="warn">{warn} warning{warn > 1 ? "s" : ""}</Tag> : null}
      </span>
    </a>
  );
}
