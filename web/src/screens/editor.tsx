/** A text that is being changed: kept in this browser, checked by the daemon while it is typed. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "../api";
import { Diff } from "../parts/diff";
import { Button, Command, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { loadDraft, saveDraft } from "../state";
import { quote } from "../text";
import type { Preview } from "../types";
import { Checks } from "./proposal";

const PAUSE = 500;

interface EditorProps {
  draft: string;
  path: string;
  text: string;
  label: string;
  save: string;
  busy: boolean;
  operation?: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}

export function Editor({ draft, path, text, label, save, busy, operation, onSave, onCancel }: EditorProps) {
  const kept = useRef(loadDraft(draft));
  const [value, setValue] = useState(kept.current ?? text);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [checking, setChecking] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  useEffect(() => {
    saveDraft(draft, value === text ? null : value);
    if (value === text) {
      setPreview(null);
      return;
    }
    const control = new AbortController();
    const timer = setTimeout(() => {
      setChecking(true);
      request<Preview>("/v1/proposals/preview", { body: { path, content: value, reason: "edited in the web UI", ...(operation ? { operation } : {}) }, signal: control.signal })
        .then((found) => {
          setPreview(found);
          setProblem(null);
        })
        .catch((error: unknown) => {
          if (!control.signal.aborted && error instanceof ApiError) setProblem(error);
        })
        .finally(() => {
          if (!control.signal.aborted) setChecking(false);
        });
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [value]);

  const cancel = (): void => {
    if (value === text || confirm("Drop your changes?")) onCancel();
  };
  const failed = preview?.checks.filter((one) => one.outcome === "fail").length ?? 0;
  return (
    <form class="editor" onSubmit={(event) => { event.preventDefault(); onSave(value); }}>
      {kept.current ? <p class="hint">Your draft was kept in this browser.</p> : null}
      <label class="field">
        <span>{label}</span>
        <textarea
          ref={field}
          class="mono"
          rows={Math.min(28, Math.max(10, value.split("\n").length + 1))}
          value={value}
          spellcheck
          onInput={(event) => setValue(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && value !== text) onSave(value);
            if (event.key === "Escape") cancel();
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || value === text}>{save}</button>
        <Button kind="quiet" onClick={cancel}>Cancel</Button>
        <span role="status">
          {checking ? <span class="quiet">checking …</span> : preview && value !== text ? failed ? <Tag tone="block">{failed} failed</Tag> : <Tag tone="good">checks pass</Tag> : null}
        </span>
      </div>
      {problem ? <p class="problem">{words(problem.what)}</p> : null}
      {preview && value !== text ? (
        <>
          <Command line={`dmm write ${operation === "update" ? "update" : "propose"} --path ${quote(path)} --file text.md --reason "…" --preview`} />
          <Checks checks={preview.checks} />
          <Diff lines={preview.diff} label="What would change" />
        </>
      ) : null}
    </form>
  );
}
