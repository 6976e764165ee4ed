/** Requests to the daemon: one place that names the project, and one form of error. */

import { signal } from "@preact/signals";

/** The folder of the project that is shown; empty until one is known. */
export const root = signal("");

/** Whether the daemon answers. */
export const connection = signal<"ok" | "lost">("ok");

/** Whether the browser is signed in; null until the daemon has said so. */
export const signedIn = signal<boolean | null>(null);

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, readonly what: string, readonly where: string | null, readonly hint: string | null) {
    super(what);
  }
}

// A header holds few characters; a folder with others is named in the address instead.
const HEADER_SAFE = /^[\x20-\x7e]+$/;

export interface Options { method?: string; body?: unknown; signal?: AbortSignal; anyProject?: boolean }

export async function request<T>(path: string, options: Options = {}): Promise<T> {
  const method = options.method ?? (options.body === undefined ? "GET" : "POST");
  const headers: Record<string, string> = {};
  if (root.value && !options.anyProject) {
    if (HEADER_SAFE.test(root.value)) headers["X-DMM-Root"] = root.value;
    else path += `${path.includes("?") ? "&" : "?"}root=${encodeURIComponent(root.value)}`;
  }
  if (method !== "GET") {
    headers["X-DMM-Page"] = "1";
    headers["Content-Type"] = "application/json";
  }
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: method === "GET" ? undefined : JSON.stringify(options.body ?? {}),
      signal: options.signal,
      cache: "no-store",
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    connection.value = "lost";
    throw new ApiError(0, "no_answer", "The daemon does not answer.", null, "To restart it, run dmm ui");
  }
  connection.value = "ok";
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const error = await read(response);
  if (error.status === 401) signedIn.value = false;
  throw error;
}

async function read(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { code: string; what: string; where?: string | null; hint?: string | null } };
    return new ApiError(response.status, error.code, error.what, error.where ?? null, error.hint ?? null);
  } catch {
    return new ApiError(response.status, "unforeseen", `The daemon answered with status ${response.status}.`, null, null);
  }
}

/** Build an address with parameters, leaving out what is not set. */
export function address(path: string, parameters: Record<string, string | number | boolean | null | undefined> = {}): string {
  const found = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (found.length === 0) return path;
  return `${path}?${new URLSearchParams(found.map(([name, value]) => [name, String(value)]))}`;
}

/** Escape a memory path for an address, keeping its slashes. */
export const escapePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
