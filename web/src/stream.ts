/** News of the ledger: one tab holds the stream, the others of this project listen to it. */

import { effect } from "@preact/signals";
import { connection, root, signedIn } from "./api";
import { epoch, head, jobs, loadCounts, loadSession, news } from "./state";
import type { Brief, Job } from "./types";

const HIDDEN_FOR = 60_000;
const MOST_NEWS = 400;
const PROBE_EVERY = 1_500;

type Message = { kind: "ledger"; root: string; head: number; events: Brief[] } | { kind: "job"; job: Job } | { kind: "hello"; root: string; head: number } | { kind: "lost" };

const channel = new BroadcastChannel("dmm");
let leaving: AbortController | undefined;
let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
let counting: ReturnType<typeof setTimeout> | undefined;

channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);

function take(message: Message): void {
  if (message.kind === "lost") {
    connection.value = "lost";
    return;
  }
  if (message.kind === "job") {
    jobs.value = [...jobs.value.filter((one) => one.id !== message.job.id), message.job].slice(-20);
    return;
  }
  if (message.root !== root.value) return;
  connection.value = "ok";
  if (message.head < head.value) {
    // The ledger was restored from a backup: what was known beyond it is gone.
    news.value = [];
    head.value = 0;
    epoch.value += 1;
  }
  const known = head.value;
  head.value = Math.max(known, message.head);
  if (message.kind === "ledger") {
    const seen = news.value.at(-1)?.seq ?? known;
    // A message holds the newest events only; what lies before them is read anew.
    if (seen && (message.events[0]?.seq ?? 0) > seen + 1) epoch.value += 1;
    news.value = [...news.value, ...message.events.filter((one) => one.seq > seen)].slice(-MOST_NEWS);
    clearTimeout(counting);
    counting = setTimeout(() => void loadCounts(), 400);
  } else if (known && message.head > known) epoch.value += 1;
}

function spread(message: Message): void {
  channel.postMessage(message);
  take(message);
}

/** Hold the stream of a project until told to leave. */
function hold(folder: string, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      source = new EventSource(`/v1/stream?root=${encodeURIComponent(folder)}`);
      source.addEventListener("hello", (event) => spread({ kind: "hello", root: folder, head: (JSON.parse(event.data) as { head: number }).head }));
      source.addEventListener("ledger", (event) => {
        const told = JSON.parse(event.data) as { head: number; events: Brief[] };
        spread({ kind: "ledger", root: folder, head: told.head, events: told.events });
      });
      source.addEventListener("job", (event) => spread({ kind: "job", job: JSON.parse(event.data) as Job }));
      source.onerror = () => {
        // A refused stream stays closed; one that broke off reconnects by itself, with its last number.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, 10_000);
        void probe();
      };
    };
    open();
    signal.addEventListener("abort", () => {
      clearTimeout(again);
      source?.close();
      done();
    });
  });
}

let probing = false;

/** Ask until the daemon answers; say so when it does not. */
export async function probe(): Promise<void> {
  if (probing) return;
  probing = true;
  const before = connection.value;
  let lost = before === "lost";
  for (;;) {
    try {
      await loadSession(AbortSignal.timeout(1_500));
      break;
    } catch (error) {
      if (!(error instanceof DOMException) && connection.peek() === "ok") break;
      connection.value = "lost";
      if (!lost) channel.postMessage({ kind: "lost" } satisfies Message);
      lost = true;
      await new Promise((wait) => setTimeout(wait, PROBE_EVERY));
    }
  }
  probing = false;
  connection.value = "ok";
  if (lost) {
    epoch.value += 1;
    restart();
  }
}

function restart(): void {
  leave();
  join();
}

function join(): void {
  const folder = root.value;
  if (leaving || !folder || signedIn.value !== true) return;
  const control = new AbortController();
  leaving = control;
  if (!navigator.locks) {
    void hold(folder, control.signal);
    return;
  }
  navigator.locks
    .request(`dmm-stream ${folder}`, { signal: control.signal }, () => (control.signal.aborted ? undefined : hold(folder, control.signal)))
    .catch(() => undefined);
}

function leave(): void {
  leaving?.abort();
  leaving = undefined;
}

/** Follow the project that is shown, while somebody looks. */
export function startStream(): void {
  effect(() => {
    void root.value;
    void signedIn.value;
    restart();
  });
  effect(() => {
    if (connection.value === "lost") void probe();
  });
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(leave, HIDDEN_FOR);
    else {
      if (!leaving) epoch.value += 1;
      join();
    }
  });
}
