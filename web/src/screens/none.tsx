/** What is shown while no project can be shown. */

import { loadProjects } from "../state";
import { Button, Command } from "../parts/ui";

export function NoProject() {
  return (
    <main class="alone" aria-labelledby="none">
      <div class="door">
        <p class="brand">DMM</p>
        <h1 id="none">No project yet</h1>
        <p>Create one in your repository, then connect your agents:</p>
        <Command line="dmm init" />
        <Command line="dmm install" />
        <p>A project that came with a clone appears after you accept it:</p>
        <Command line="dmm trust" />
        <Button onClick={() => void loadProjects()}>Look again</Button>
      </div>
    </main>
  );
}
