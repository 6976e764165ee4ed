/** Long work: started, followed and cancelled; told over the stream, or asked for. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { jobs } from "../state";
import { count } from "../text";
import type { Job } from "../types";
import { Button } from "./ui";

export interface Running {
  job: Job | null;
  running: boolean;
  result: unknown;
  error: ApiError | null;
  start: (body: Record<string, unknown>) => Promise<void>;
  cancel: () => void;
}

const ASK_EVERY = 700;

export function useJob(): Running {
  const [job, setJob] = useState<Job | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const id = useRef<string | null>(null);
  const told = jobs.value.find((one) => one.id === id.current);

  const take = (found: Job): void => {
    if (found.id !== id.current) return;
    setJob(found);
    if (found.state === "failed") {
      const reason = found.error as { what?: string; hint?: string } | string | null;
      setError(new ApiError(500, "job", typeof reason === "string" ? reason : (reason?.what ?? "The work failed."), null, typeof reason === "string" ? null : (reason?.hint ?? null)));
    }
  };
  useEffect(() => {
    if (!told) return;
    // News of a job leave its result out; that is asked for once.
    if (told.state === "done" && told.result === null) request<Job>(`/v1/jobs/${told.id}`).then(take).catch(() => take(told));
    else take(told);
  }, [told]);
  const open = job?.state === "running";
  useEffect(() => {
    if (!open || !job) return;
    const timer = setInterval(() => {
      request<Job>(`/v1/jobs/${job.id}`).then(take).catch((problem) => {
        // The daemon was restarted, and its work ended with it.
        if (!(problem instanceof ApiError) || problem.status < 400) return;
        setJob({ ...job, state: "failed" });
        setError(problem);
      });
    }, ASK_EVERY);
    return () => clearInterval(timer);
  }, [job?.id, open]);

  const fail = (problem: unknown): void => {
    if (problem instanceof ApiError) setError(problem);
  };
  return {
    job,
    running: open,
    result: job?.state === "done" ? job.result : null,
    error,
    start: async (body) => {
      setError(null);
      setJob(null);
      try {
        const made = await request<Job>("/v1/jobs", { body });
        id.current = made.id;
        take(made);
      } catch (problem) {
        fail(problem);
      }
    },
    cancel: () => {
      if (job) void request<Job>(`/v1/jobs/${job.id}`, { method: "DELETE" }).then(take).catch(fail);
    },
  };
}

export function JobProgress({ job }: { job: Running }) {
  if (!job.running) return job.job?.state === "cancelled" ? <p class="quiet" role="status">Cancelled.</p> : null;
  const total = job.job?.total ?? 0;
  const done = job.job?.done ?? 0;
  return (
    <div class="progress" role="status">
      <progress max={total || undefined} value={total ? done : undefined} aria-label="Progress" />
      <span class="quiet">{total ? `${Math.floor((done / total) * 100)} % of ${count(total)}` : "working …"}</span>
      {job.job ? <Button kind="quiet" onClick={job.cancel}>Cancel</Button> : null}
    </div>
  );
}
