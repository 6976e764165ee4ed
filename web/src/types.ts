/** What the daemon answers; docs/http.md describes every field. */

export type Tone = "plain" | "good" | "warn" | "ask" | "block";

export interface Project { root: string; name: string; trusted: boolean; open: boolean }

export interface SignIn {
  signed_in: boolean;
  since?: string | null;
  sessions?: number;
  passkey?: { enrolled: number; required: boolean };
  confirm?: "passkey" | "code";
}

export interface Ref { kind: "pack" | "proposal" | "rule" | "memory" | "conflict" | "decision" | "session"; id: string | number }

export interface Brief {
  seq: number;
  at: string;
  type: string;
  actor: string;
  source: string;
  session: string | null;
  client?: string | null;
  branch?: string | null;
  line: string;
  tone: Tone;
  ref: Ref | null;
}

export interface EventWhole {
  seq: number;
  id: string;
  type: string;
  at: string;
  actor: string;
  source: string;
  trust: string;
  session: string | null;
  caused_by: number | null;
  references: number[];
  payload: unknown;
  hash: string;
}

export interface Session {
  id: string;
  client: string | null;
  branch: string | null;
  started: string;
  last: string;
  open: boolean;
  prompts: number;
  calls: number;
  blocked: number;
  asked: number;
  packs: number;
  tokens: number;
}

export interface SessionEntry {
  seq: number;
  at: string;
  kind: "start" | "prompt" | "pack" | "call" | "block" | "ask" | "warn" | "note" | "end";
  title: string;
  detail: string | null;
  tokens: number | null;
  pack: number | null;
  rule: string | number | null;
  matched: string | null;
}

export interface SessionWhole {
  session: Session;
  entries: SessionEntry[];
  cost?: { fixed?: number; injected: number; items: { what: string; why: string; tokens: number; count: number }[] };
}

export interface PackRow { seq: number; at: string; task: string; session: string | null; tokens: number; entries: number; why?: string; client?: string | null }

export interface PackEntry { path: string; title: string; score: number | null; lanes: string[]; tokens: number | null; labels: string[] }
export interface PackExcluded { path: string; title: string; score: number | null; reason: string; tokens: number | null }

export interface Pack {
  seq: number;
  at: string;
  task: string;
  session: string | null;
  client?: string | null;
  why?: string;
  budget: number | null;
  tokens: { baseline: number | null; retrieved: number | null; total: number };
  memory_tokens?: number | null;
  files?: string[];
  entries: PackEntry[];
  excluded: PackExcluded[];
  excluded_more: number;
  receipt: boolean;
}

export interface Node {
  t: string;
  c?: Node[];
  v?: string;
  level?: number;
  lang?: string;
  href?: string;
}

export interface Check { name: string; outcome: "pass" | "warn" | "fail"; text: string; other?: string }

export interface ProposalRow {
  id: string;
  operation: string;
  path: string;
  proposer: string;
  source: string;
  trust: string;
  reason: string;
  origin: string;
  at: string;
  age_seconds: number;
  status: string;
  checks: { pass: number; warn: number; fail: number };
}

export interface Clash { path?: string; type?: string; sure?: boolean; confidence?: number; mine?: string; theirs?: string; quotes?: string[]; text?: string }

export interface Proposal extends Omit<ProposalRow, "checks"> {
  checks: Check[];
  session: string | null;
  evidence: unknown[];
  undoes: unknown[];
  reviews: Record<string, unknown>[];
  tier: string;
  why: string;
  failure: string | null;
  commit: string | null;
  neighbours: { path: string; id: string; title: string; similarity: number }[];
  conflicts?: Clash[];
  digest: string;
  edits: { path: string; before: string | null; after: string | null }[];
  diff: string[];
  stale: unknown[];
  body?: Node[];
}

export interface Preview { checks: Check[]; diff: string[]; tier: string; digest: string }

export interface MemoryRow {
  path: string;
  id: string;
  title: string;
  scope: string;
  tokens: number;
  tags: string[];
  priority: number | null;
  status: string;
  stale: boolean;
  conflicts: number;
  served: number;
}

export interface Citation { path: string; symbol: string | null; lines: [number, number] | null; state: "fresh" | "moved" | "changed" | "gone"; code: { line: number; text: string }[] }

export interface MemoryWhole extends Omit<MemoryRow, "conflicts" | "served" | "stale"> {
  paths: string[];
  created: string | null;
  updated: string | null;
  text: string;
  body: Node[];
  citations: Citation[];
  usage: { served: number; helped: number; wrong: number; outdated: number; last: string | null; days: { day: string; count: number }[] };
  history: { seq: number; at: string; actor: string; what: string; proposal: string | number | null }[];
  packs: { seq: number; at: string; task: string }[];
  conflicts: { id: string; title: string; sure: boolean }[];
  digest: string;
}

export interface Rule {
  id: string;
  title: string;
  state: string;
  level: string;
  kind: string;
  path: string | null;
  seq: number | null;
  pending?: boolean;
  disabled?: boolean;
  matches?: string[];
  examples?: { block?: unknown[]; allow?: unknown[] };
  why?: string;
  origin?: string | null;
  source?: string | null;
  stopped?: number;
  digest?: string;
}

export interface Job {
  id: string;
  kind: string;
  root: string;
  state: "running" | "done" | "failed" | "cancelled";
  done: number;
  total: number | null;
  started: string;
  ended: string | null;
  result: unknown;
  error: unknown;
}

export interface RecallRow { id: string; kind: string; at: string; title: string; session: string; tokens: number; sources: number[]; files?: string[]; low_trust?: string }

/** A rule that an agent proposed; a person accepts it by its number. */
export interface PendingRule { text: string; priority: string; seq: number; id?: string; state: string; trust: string; actor: string | null; session: string | null; digest?: string }
