/** The start of the page: sign in, settle on a project, show a screen. */

import { render } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, connection, request, root, signedIn } from "./api";
import { route } from "./router";
import { Shell } from "./shell";
import { SignInScreen, signInProblem } from "./signin";
import { epoch, loadCounts, loadProjects, loadSession, projects, store } from "./state";
import { startStream } from "./stream";
import { Loading } from "./parts/ui";
import { NoProject } from "./screens/none";

/** Take the one-time code out of the address at once, so that it is in no history. */
function takeCode(): string | null {
  if (!location.hash.startsWith("#code=")) return null;
  const given = new URLSearchParams(location.hash.slice(1));
  const to = given.get("to");
  history.replaceState(null, "", `${location.pathname}${to ? `#${to}` : ""}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
  const project = given.get("in");
  if (project) store("root", project);
  return given.get("code");
}

async function start(): Promise<void> {
  const code = takeCode();
  if (code) {
    try {
      await request("/v1/session", { body: { code }, anyProject: true });
    } catch (error) {
      signInProblem.value = error instanceof ApiError ? error : null;
    }
  }
  await enter();
}

/** Read who is signed in and what there is to show. */
export async function enter(): Promise<void> {
  try {
    await loadSession();
    if (!signedIn.value) return;
    await loadProjects();
    void loadCounts();
  } catch {
    // The banner tells about a daemon that is away; a 401 has changed signedIn.
  }
}

function App() {
  useEffect(() => {
    void start();
    startStream();
  }, []);
  useEffect(() => {
    if (epoch.value && signedIn.value === null && connection.value === "ok") void enter();
  }, [epoch.value, connection.value]);
  if (signedIn.value === null) return <main class="alone">{connection.value === "lost" ? <SignInScreen /> : <Loading what="Connecting" />}</main>;
  if (!signedIn.value) return <SignInScreen />;
  if (!root.value) return projects.value.length ? <Loading /> : <NoProject />;
  return <Shell key={root.value} route={route.value} />;
}

const place = document.getElementById("app");
if (place) render(<App />, place);
