// Written by dmm install. Changes made here are lost; `dmm install --client opencode --uninstall` removes it.
// Hands what happens in a session to DMM and brings back what it knows; never in the way.
import { spawn } from "node:child_process"

const COMMAND = "@COMMAND@"
const PATIENCE = { SessionStart: 10000, PreToolUse: 5000, SessionEnd: 2000 }
const USUAL = 5000

function ask(event) {
  return new Promise((resolve) => {
    let said = ""
    let child
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve({})
    }
    const timer = setTimeout(() => child.kill(), PATIENCE[event.hook_event_name] ?? USUAL)
    const end = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve({})
      }
    }
    child.on("error", end)
    child.on("close", end)
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (said += part))
    child.stdin.end(JSON.stringify(event))
  })
}

const textOf = (output) =>
  (output?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n").trim()

export const Dmm = async ({ directory }) => {
  // What a session was given: its beginning stays, the rest belongs to the last prompt.
  const begun = new Map()
  const latest = new Map()
  const tell = (name, session, more) =>
    ask({ hook_event_name: name, session_id: session, cwd: directory, ...more })
  const begin = (session, source) => {
    if (!begun.has(session))
      begun.set(session, tell("SessionStart", session, { source }).then((told) => told.context ?? ""))
    return begun.get(session)
  }
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created") await begin(session, "startup")
      else if (event.type === "session.idle") await tell("Stop", session, {})
      else if (event.type === "session.compacted") await tell("PostCompact", session, {})
      else if (event.type === "session.deleted") await tell("SessionEnd", session, { reason: "deleted" })
    },
    "chat.message": async (input, output) => {
      await begin(input.sessionID, "resume")
      const told = await tell("UserPromptSubmit", input.sessionID, {
        prompt: textOf(output),
        prompt_id: output?.message?.id,
      })
      latest.set(input.sessionID, told.context ?? "")
    },
    "experimental.chat.system.transform": async (input, output) => {
      const given = [await begun.get(input?.sessionID), latest.get(input?.sessionID)]
      output.system.push(...given.filter(Boolean))
    },
    "experimental.session.compacting": async (input) => {
      await tell("PreCompact", input.sessionID, { trigger: "auto" })
    },
    "tool.execute.before": async (input, output) => {
      const told = await tell("PreToolUse", input.sessionID, {
        tool_name: input.tool,
        tool_input: output.args,
        tool_use_id: input.callID,
      })
      if (told.deny) throw new Error(told.deny)
    },
    "tool.execute.after": async (input, output) => {
      await tell("PostToolUse", input.sessionID, {
        tool_name: input.tool,
        tool_input: input.args,
        tool_use_id: input.callID,
        tool_response: output?.output ?? output?.content ?? "",
        exit_code: output?.metadata?.exit,
      })
    },
  }
}
