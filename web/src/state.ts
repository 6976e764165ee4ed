/** What the whole page shares: settings of this browser, projects, counts, news. */

import { signal } from "@preact/signals";
import { request, root, signedIn } from "./api";
import type { Brief, Job, Project, SignIn } from "./types";

export const projects = signal<Project[]>([]);
export const session = signal<SignIn | null>(null);
export const pending = signal(0);
export const clashes = signal(0);
export const jobs = signal<Job[]>([]);
/** The newest events of the project, newest last; a bounded window. */
export const news = signal<Brief[]>([]);
export const head = signal(0);
/** Grows when the page should read its answers anew. */
export const epoch = signal(0);

/** A short message for everybody, also read out. */
export const notice = signal<{ text: string; tone: "good" | "block" } | null>(null);
let fading: ReturnType<typeof setTimeout> | undefined;
export function tell(text: string, tone: "good" | "block" = "good"): void {
  notice.value = { text, tone };
  clearTimeout(fading);
  fading = setTimeout(() => {
    notice.value = null;
  }, 6000);
}

function stored(name: string, usual: string): string {
  try {
    return localStorage.getItem(`dmm.${name}`) ?? usual;
  } catch {
    return usual;
  }
}

export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`dmm.${name}`);
    else localStorage.setItem(`dmm.${name}`, value);
  } catch {
    // A browser without storage forgets, and works.
  }
}

export const theme = signal(stored("theme", "system"));
export function setTheme(value: string): void {
  theme.value = value;
  store("theme", value);
}
theme.subscribe((value) => {
  if (value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = value;
});

export const keysOn = signal(stored("keys", "on") === "on");
export function setKeys(on: boolean): void {
  keysOn.value = on;
  store("keys", on ? "on" : "off");
}

export const loadDraft = (name: string): string | null => stored(`draft.${root.value}.${name}`, "") || null;
export const saveDraft = (name: string, text: string | null): void => store(`draft.${root.value}.${name}`, text);

/** Choose a project; the choice holds for this browser, the address may name another. */
export function choose(folder: string): void {
  if (root.value === folder) return;
  root.value = folder;
  store("root", folder);
  news.value = [];
  head.value = 0;
  pending.value = 0;
  clashes.value = 0;
  epoch.value += 1;
}

/** Read whether this browser is signed in; that it is not is an answer too. */
export async function loadSession(signal?: AbortSignal): Promise<void> {
  session.value = await request<SignIn>("/v1/session", { anyProject: true, signal });
  signedIn.value = session.value.signed_in;
}

/** Read the list of projects and settle on one. */
export async function loadProjects(): Promise<void> {
  const found = (await request<{ projects: Project[] }>("/v1/projects", { anyProject: true })).projects;
  projects.value = found;
  const wanted = root.value || stored("root", "");
  const usable = found.filter((one) => one.trusted);
  const chosen = usable.find((one) => one.root === wanted) ?? usable.find((one) => one.open) ?? usable[0];
  if (chosen) choose(chosen.root);
}

/** Read the numbers beside Review and Conflicts. */
export async function loadCounts(): Promise<void> {
  const folder = root.value;
  if (!folder) return;
  const [proposals, conflicts] = await Promise.allSettled([
    request<{ pending: number }>("/v1/proposals"),
    request<{ unresolved: number }>("/v1/conflicts"),
  ]);
  if (root.value !== folder) return;
  if (proposals.status === "fulfilled") pending.value = proposals.value.pending;
  if (conflicts.status === "fulfilled") clashes.value = conflicts.value.unresolved;
}
