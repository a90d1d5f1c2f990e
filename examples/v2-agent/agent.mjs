// An agent without a model that speaks the draft of ACP version 2, built on the official TypeScript SDK.
//
// Every prompt gets the same small piece of work: a plan, a command that fails, an edit it asks about, a
// message. Then it goes idle, and a moment later does some work that nobody asked for.
//
// A session's foreground work is idle → running → (requires_action → running)* → idle; the answer to a
// prompt only says that it was taken.

import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const COMMAND = "printf 'grün: 3 Prüfungen\\nrot: 1 Prüfung\\n'; exit 2";
const PIECE = 4; // bytes of output to a chunk, so that some ü falls to two of them
const OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];
const BEFORE = "one\ntwo\n";
const AFTER = "one\nzwei\n";

class Cancelled extends Error {}

class Session {
  constructor(id, cwd, client) {
    Object.assign(this, { id, cwd, client, work: null, made: 0 });
  }

  // A prompt takes the place of whatever is going on.
  prompt(prompt) {
    this.work?.stop();
    const work = (this.work = new Work(this));
    const messageId = this.mint("message");
    // After the answer to the prompt, which says that it was taken.
    setImmediate(() => work.run(() => work.turn(messageId, prompt), () => this.goOn()));
    return { messageId };
  }

  goOn() {
    const work = (this.work = new Work(this));
    setImmediate(() => work.run(() => work.later()));
  }

  mint(kind) {
    this.made += 1;
    return `${kind}-${this.made}`;
  }
}

class Work {
  constructor(session) {
    const { id, cwd, client } = session;
    Object.assign(this, { session, id, cwd, client, cancelling: new AbortController() });
  }

  stop() {
    this.cancelling.abort();
  }

  async run(task, then) {
    let stopReason = "end_turn";
    try {
      await this.state("running");
      await task();
    } catch (error) {
      if (!this.cancelling.signal.aborted && !(error instanceof Cancelled)) throw error;
      stopReason = "cancelled";
    }
    if (this.session.work !== this) return; // a newer prompt tells its own states
    await this.state("idle", { stopReason });
    if (stopReason === "end_turn") then?.();
  }

  async turn(messageId, prompt) {
    await this.update("user_message", { messageId, content: prompt });
    await this.think();
    await this.plan("in_progress", "pending");
    await this.command();
    await this.plan("completed", "in_progress");
    const written = await this.edit();
    await this.plan("completed", "completed");
    await this.say(written);
  }

  async think() {
    const messageId = this.session.mint("thought");
    await this.chunk("agent_thought_chunk", messageId, "First the tests, ");
    await this.chunk("agent_thought_chunk", messageId, "then the notes.");
  }

  async plan(tests, notes) {
    const entries = [
      { content: "Run the tests", priority: "high", status: tests },
      { content: "Mend the notes", priority: "medium", status: notes },
    ];
    await this.update("plan_update", { plan: { type: "items", planId: "plan-1", entries } });
  }

  // A command in a terminal of the agent's own: bytes as they come, and how it ended.
  async command() {
    const call = this.session.mint("call");
    const terminalId = this.session.mint("terminal");
    await this.update("tool_call_update", {
      toolCallId: call,
      name: "shell",
      title: COMMAND,
      kind: "execute",
      status: "pending",
      rawInput: { command: COMMAND },
    });
    const subject = { type: "command", command: COMMAND, cwd: this.cwd, toolCallId: call };
    if (!(await this.ask("Run the tests?", subject))) {
      await this.update("tool_call_update", { toolCallId: call, status: "failed" });
      return;
    }
    await this.update("terminal_update", { terminalId, command: COMMAND, cwd: this.cwd });
    await this.update("tool_call_update", {
      toolCallId: call,
      status: "in_progress",
      content: [{ type: "terminal", terminalId }],
    });
    const child = spawn("sh", ["-c", COMMAND], { cwd: this.cwd, stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const output = Buffer.concat(await child.stdout.toArray());
    for (let at = 0; at < output.length; at += PIECE) {
      const data = output.subarray(at, at + PIECE).toString("base64");
      await this.update("terminal_output_chunk", { terminalId, data });
    }
    const exitCode = await ended;
    await this.update("terminal_update", { terminalId, exitStatus: { exitCode } });
    await this.update("tool_call_update", { toolCallId: call, status: "completed" });
  }

  // An edit, asked about with the call as it would be, shown as a git patch once it is done.
  async edit() {
    const call = this.session.mint("call");
    const path = join(this.cwd, "notes.txt");
    const toolCall = {
      toolCallId: call,
      name: "edit",
      title: "Edit notes.txt",
      kind: "edit",
      status: "pending",
      locations: [{ path }],
      rawInput: { path, old: "two", new: "zwei" },
    };
    await this.update("tool_call_update", toolCall);
    if (!(await this.ask("Change notes.txt?", { type: "tool_call", toolCall }))) {
      await this.update("tool_call_update", { toolCallId: call, status: "failed" });
      return false;
    }
    const before = await readFile(path, "utf8").catch(() => BEFORE);
    await writeFile(path, before.replace("two", "zwei"));
    const patch = [
      "diff --git a/notes.txt b/notes.txt",
      "--- a/notes.txt",
      "+++ b/notes.txt",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+zwei",
      "",
    ].join("\n");
    await this.update("tool_call_content_chunk", {
      toolCallId: call,
      content: {
        type: "diff",
        changes: [{ operation: "modify", path, fileType: "text" }],
        patch: { format: "git_patch", text: patch },
      },
    });
    await this.update("tool_call_update", { toolCallId: call, status: "completed" });
    return true;
  }

  // A message that grows by chunks and is then put anew as a whole.
  async say(written) {
    const messageId = this.session.mint("message");
    await this.update("agent_message", { messageId, content: [text("The tests fail")] });
    await this.chunk("agent_message_chunk", messageId, "; the notes are ");
    await this.chunk("agent_message_chunk", messageId, written ? "mended." : "as they were.");
  }

  // Work that no prompt asked for.
  async later() {
    const call = this.session.mint("call");
    await this.update("tool_call_update", {
      toolCallId: call,
      name: "watch",
      title: "Look after the notes",
      kind: "read",
      status: "in_progress",
      locations: [{ path: join(this.cwd, "notes.txt") }],
    });
    await this.update("tool_call_content_chunk", {
      toolCallId: call,
      content: { type: "content", content: text(AFTER) },
    });
    await this.update("tool_call_update", { toolCallId: call, status: "completed" });
    await this.update("agent_message", {
      messageId: this.session.mint("message"),
      content: [text("Nobody touched the notes meanwhile.")],
    });
  }

  async ask(title, subject) {
    await this.state("requires_action");
    const params = { sessionId: this.id, title, subject, options: OPTIONS };
    const options = { cancellationSignal: this.cancelling.signal, stopWaitingOnCancel: true };
    const answer = await this.client.request(acp.methods.client.session.requestPermission, params, options);
    if (answer.outcome.outcome !== "selected") throw new Cancelled();
    await this.state("running");
    return answer.outcome.optionId === "allow";
  }

  state(state, more = {}) {
    return this.update("state_update", { state, ...more });
  }

  chunk(kind, messageId, words) {
    return this.update(kind, { messageId, content: text(words) });
  }

  update(sessionUpdate, fields) {
    if (this.cancelling.signal.aborted && sessionUpdate !== "state_update") throw new Cancelled();
    const params = { sessionId: this.id, update: { sessionUpdate, ...fields } };
    return this.client.notify(acp.methods.client.session.update, params);
  }
}

function text(words) {
  return { type: "text", text: words };
}

const sessions = new Map();
const { agent: methods } = acp.methods;

acp
  .agent({ name: "parity-example-v2-agent" })
  .onRequest(methods.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "parity-example-v2-agent", title: "Example", version: "0.1.0" },
    capabilities: { session: {} },
  }))
  .onRequest(methods.session.new, async ({ params, client }) => {
    const id = `session-${sessions.size + 1}`;
    const notes = join(params.cwd, "notes.txt");
    await writeFile(notes, BEFORE, { flag: "wx" }).catch(() => {}); // what is there stays
    sessions.set(id, new Session(id, params.cwd, client));
    return { sessionId: id };
  })
  .onRequest(methods.session.prompt, ({ params }) => {
    const session = sessions.get(params.sessionId);
    if (session === undefined) throw acp.RequestError.invalidParams({ sessionId: params.sessionId });
    return session.prompt(params.prompt);
  })
  .onNotification(methods.session.cancel, ({ params }) => sessions.get(params.sessionId)?.work?.stop())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
