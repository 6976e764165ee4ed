/** Rules: what agents are held to, and a bench to try one before it counts. */

import { useKeys } from "../keys";
import { Empty, Head, Loading, Problem, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { go, link, type Route } from "../router";
import { count } from "../text";
import type { PendingRule, Rule } from "../types";
import { Bench } from "./bench";
import { PendingPage } from "./pending_rule";
import { RulePage } from "./rule";

interface Told { rules: Rule[]; counts: Record<string, number>; faults: { path?: string; what?: string }[] }

export const STATE_TONES: Record<string, string> = { enforced: "block", asks: "ask", pending: "warn", "checked on decisions only": "accent", disabled: "plain", advice: "plain" };

/** The state of a rule in one word. */
export const stateOf = (rule: Rule): string => (rule.pending ? "pending" : rule.disabled ? "disabled" : rule.state);

export function Rules({ route }: { route: Route }) {
  const found = useGet<Told>("/v1/rules");
  const proposed = useGet<{ pending: PendingRule[] }>("/v1/rules/pending");
  const reload = (): void => {
    found.reload();
    proposed.reload();
  };
  useNews(/^(Rule|Constraint)/, reload);
  const waiting = proposed.data?.pending ?? [];
  // Until it is known which of them are only proposed, none is listed as a rule.
  const rules = (proposed.loading ? [] : (found.data?.rules ?? [])).filter((one) => !waiting.some((other) => other.seq === one.seq));
  const chosen = route.rest;
  const draft = waiting.find((one) => chosen === `pending-${one.seq}`);
  const place = rules.findIndex((one) => one.id === chosen);
  const move = (by: number): void => {
    const to = rules[Math.min(rules.length - 1, Math.max(0, place + by))];
    if (to) go(link("rules", to.id));
  };
  useKeys("Rules", [
    { key: "j", label: "Next rule", run: () => move(1) },
    { key: "k", label: "Previous rule", run: () => move(-1) },
    { key: "n", label: "New rule", run: () => go(link("rules")) },
  ]);
  const counts = Object.entries(found.data?.counts ?? {}).filter(([, value]) => value);
  return (
    <div class={`split ${chosen ? "inside" : ""}`}>
      <section class="side" aria-label="Rules">
        <Head title="Rules" facts={counts.map(([state, value]) => `${count(value)} ${state}`).join(" · ")} line="dmm rules" json="/v1/rules" />
        {found.error ? <Problem error={found.error} retry={found.reload} line="dmm rules" /> : null}
        {found.loading || proposed.loading ? <Loading /> : null}
        <nav class="rows" aria-label="All rules">
          <a class="row" href={link("rules")} aria-current={chosen ? undefined : "true"}>
            <span class="row-main">New rule</span>
            <span class="row-sub">Write a rule, try it, rehearse it on the past</span>
          </a>
          {waiting.map((one) => (
            <a class="row" key={one.seq} href={link("rules", `pending-${one.seq}`)} aria-current={chosen === `pending-${one.seq}` ? "true" : undefined}>
              <span class="row-main"><span class="cut">{words(one.text, 200)}</span></span>
              <span class="row-sub"><Tag tone="warn">pending</Tag><span>proposed by {words(one.actor ?? one.trust, 40)}</span></span>
            </a>
          ))}
          {rules.map((one) => (
            <a class="row" key={one.id} href={link("rules", one.id)} aria-current={one.id === chosen ? "true" : undefined}>
              <span class="row-main"><span class="cut">{words(one.title, 200)}</span></span>
              <span class="row-sub"><Tag tone={STATE_TONES[stateOf(one)]} sign={false}>{stateOf(one)}</Tag><span class="mono cut">{words(one.id, 60)}</span></span>
            </a>
          ))}
        </nav>
        {found.data && !proposed.loading && rules.length + waiting.length === 0 ? <Empty title="No rule yet" line="dmm ledger constraint --starter">The starter rules deny forced pushes, dropped databases, reading secrets and more.</Empty> : null}
        {(found.data?.faults ?? []).map((one, number) => <p class="problem" key={number}>{words(`${one.path ?? ""} ${one.what ?? JSON.stringify(one)}`, 300)}</p>)}
      </section>
      <div class="detail">
        {draft ? <PendingPage key={chosen} rule={draft} onAccepted={reload} /> : chosen.startsWith("pending-") && proposed.loading ? <Loading /> : chosen ? <RulePage key={chosen} id={chosen} onChanged={reload} /> : <Bench onAdded={reload} />}
      </div>
    </div>
  );
}
