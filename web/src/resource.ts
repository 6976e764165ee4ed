/** Answers of the daemon as state of a component, kept for the way back. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, connection, request, root } from "./api";
import { epoch, news } from "./state";

export interface Resource<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
}

const MOST_KEPT = 40;
const kept = new Map<string, unknown>();

function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Read an address; null reads nothing. A known answer is shown until the new one is there. */
export function useGet<T>(path: string | null): Resource<T> {
  return useLoad<T>(path, (signal) => request<T>(path ?? "", { signal }));
}

/** Run a request whenever its key changes, and again when the daemon is back. */
export function useLoad<T>(name: string | null, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const key = name === null ? null : `${root.value} ${name}`;
  const [state, setState] = useState<{ key: string | null; data?: T; error?: ApiError }>({ key: null });
  const [turn, setTurn] = useState(0);
  const loading = useRef(load);
  loading.current = load;
  const era = epoch.value;

  useEffect(() => {
    if (key === null || (connection.peek() === "lost" && kept.has(key))) return;
    const control = new AbortController();
    loading
      .current(control.signal)
      .then((data) => {
        if (control.signal.aborted) return;
        keep(key, data);
        setState({ key, data });
      })
      .catch((error: unknown) => {
        if (control.signal.aborted) return;
        const found = error instanceof ApiError ? error : new ApiError(0, "unforeseen", String(error), null, null);
        // What is shown stays while the daemon is away; the banner tells about that.
        if (found.code === "no_answer" && kept.has(key)) return;
        setState({ key, error: found });
      });
    return () => control.abort();
  }, [key, turn, era, connection.value === "ok"]);

  const own = state.key === key;
  const data = own && state.data !== undefined ? state.data : key === null ? undefined : (kept.get(key) as T | undefined);
  const error = own ? state.error : undefined;
  return { data: error ? undefined : data, error, loading: key !== null && data === undefined && !error, reload: () => setTurn((value) => value + 1) };
}

const LIVE_DELAY = 300;

/** Run something shortly after events of some types were recorded. */
export function useNews(types: RegExp, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    let seen = news.peek().at(-1)?.seq ?? 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = news.subscribe((events) => {
      const fresh = events.some((one) => one.seq > seen && types.test(one.type));
      seen = events.at(-1)?.seq ?? seen;
      if (!fresh) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(), LIVE_DELAY);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}
