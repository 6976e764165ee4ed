/** Project switcher and settings, and the list of keys. */

import { useEffect, useState } from "preact/hooks";
import { request, root, signedIn } from "./api";
import { layers } from "./keys";
import { Dialog } from "./parts/dialog";
import { Button, Tag } from "./parts/ui";
import { words } from "./parts/words";
import { choose, keysOn, loadCounts, loadProjects, projects, session, setKeys, setTheme, tell, theme } from "./state";

export function Menu({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  useEffect(() => void loadProjects().catch(() => undefined), []);
  const pick = (folder: string): void => {
    choose(folder);
    void loadCounts();
    onClose();
  };
  return (
    <Dialog title="Projects and settings" onClose={onClose}>
      <h2>Projects</h2>
      <ul class="choices">
        {projects.value.map((one) => (
          <li key={one.root}>
            <button type="button" onClick={() => pick(one.root)} disabled={!one.trusted} aria-current={one.root === root.value ? "true" : undefined}>
              <span class="choice-name">{words(one.name)} {one.trusted ? null : <Tag tone="warn">not trusted: dmm trust</Tag>}</span>
              <span class="choice-detail">{words(one.root)}</span>
            </button>
          </li>
        ))}
      </ul>
      <h2>Settings</h2>
      <fieldset class="segments">
        <legend>Appearance</legend>
        {["system", "light", "dark"].map((name) => (
          <label key={name}><input type="radio" name="theme" checked={theme.value === name} onChange={() => setTheme(name)} /><span>{name}</span></label>
        ))}
      </fieldset>
      <label class="switch">
        <input type="checkbox" checked={keysOn.value} onChange={(event) => setKeys(event.currentTarget.checked)} />
        <span>Single-key shortcuts</span>
      </label>
      <div class="actions">
        <Button onClick={onHelp}>Keyboard shortcuts</Button>
        <SignOut />
        <Button kind="primary" onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}

function SignOut() {
  const [armed, setArmed] = useState(false);
  const sessions = session.value?.sessions;
  const leave = async (): Promise<void> => {
    try {
      await request("/v1/session", { method: "DELETE", anyProject: true });
      signedIn.value = false;
    } catch (error) {
      tell(error instanceof Error ? error.message : "Signing out failed", "block");
    }
  };
  if (!armed) return <Button kind="quiet" onClick={() => setArmed(true)}>Sign out everywhere…</Button>;
  return <Button kind="danger" onClick={() => void leave()}>{`Sign out ${sessions && sessions > 1 ? `all ${sessions} sessions` : "now"}`}</Button>;
}

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <h2>Keys</h2>
      <label class="switch">
        <input type="checkbox" checked={keysOn.value} onChange={(event) => setKeys(event.currentTarget.checked)} />
        <span>Single-key shortcuts</span>
      </label>
      <div class="key-lists">
        {layers.value.map((layer, place) => (
          <section key={place}>
            <h3>{layer.title}</h3>
            <dl class="keys">
              {layer.keys.map((one) => (
                <div key={one.key}><dt><kbd>{one.key === " " ? "Space" : one.key}</kbd></dt><dd>{one.label}</dd></div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>Always</h3>
          <dl class="keys">
            <div><dt><kbd>Ctrl K</kbd></dt><dd>Find or do something</dd></div>
            <div><dt><kbd>Esc</kbd></dt><dd>Close or cancel</dd></div>
          </dl>
        </section>
      </div>
      <div class="actions end"><Button kind="primary" onClick={onClose}>Close</Button></div>
    </Dialog>
  );
}
