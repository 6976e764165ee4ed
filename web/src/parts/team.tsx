/** What the project's team is told of a decision, shown before it is made; nothing without a team. */

import { address } from "../api";
import type { Action } from "../proof";
import { useGet } from "../resource";
import { words } from "./words";

export function TeamTold({ action, id }: { action: Action; id: string }) {
  const found = useGet<{ team: string; told: string[] }>(address("/v1/team/foretold", { action, id })).data;
  if (!found?.told.length) return null;
  return <p class="quiet">Your team {words(found.team, 90)} is told: {found.told.map((one) => words(one, 400)).join("; ")}</p>;
}
