// An example bridge: the runtime protocol of parity on standard input and output, an ACP agent behind it.
//
// It reads any ACP agent by the protocol alone: sessions, prompts, tool calls, permission requests, messages,
// plans. It knows no agent's side channels. Every line of either side is handled to its end before the next,
// so what it says is a function of what it is told. See README.md and docs/bridges.md.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const TERMINAL = new Set(["completed", "failed"]);
const STATUSES = new Set(["pending", "in_progress", ...TERMINAL]);
const PATH_ARGUMENTS = ["file_path", "filePath", "path"];
const threads = new Map(); // threadId → thread
const pending = new Map(); // id of our request to the agent → what to do with its answer
const waiting = new Map(); // id of our request to the runtime → what to do with its answer
let agent; // the agent's process
let asked = 0; // requests made to the agent
let interactions = 0; // requests made to the runtime

// -- lines ---------------------------------------------------------------------------------------------

function onLines(stream, take) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      let message;
      try {
        message = JSON.parse(line);
      } catch {
        continue; // not a message: nobody waits for an answer to it
      }
      if (message !== null && typeof message === "object") take(message);
    }
  });
}

const toRuntime = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const toAgent = (message) => agent.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const answer = (id, result) => id !== undefined && toRuntime({ id, result });
const refuse = (id, code, message) => id !== undefined && toRuntime({ id, error: { code, message } });
const say = (thread, ...deltas) =>
  deltas.length && toRuntime({ method: "thread/delta", params: { threadId: thread.id, deltas } });

function ask(method, params, then) {
  pending.set(++asked, then);
  toAgent({ id: asked, method, params });
}

// -- the runtime ---------------------------------------------------------------------------------------

class BadParams extends Error {}

const runtimeMethods = {
  initialize(id, params) {
    const command = params.agentCommand ?? JSON.parse(process.env.PARITY_AGENT_COMMAND);
    agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    agent.stdin.on("error", () => {}); // the agent is gone; its exit says so
    onLines(agent.stdout, fromAgent);
    const { clientInfo, clientCapabilities = {} } = params;
    ask("initialize", { protocolVersion: 1, clientCapabilities, clientInfo }, ({ result, error }) =>
      error ? toRuntime({ id, error }) : answer(id, result),
    );
  },

  "thread/start"(id, { threadId, cwd, options = {} }) {
    if (typeof threadId !== "string" || typeof cwd !== "string") throw new BadParams("threadId, cwd: text");
    if (threads.has(threadId)) throw new BadParams(`thread ${threadId} exists already`);
    const thread = { id: threadId, cwd, calls: new Map(), asks: new Map(), open: false };
    ask("session/new", { cwd, mcpServers: options.mcpServers ?? [] }, ({ result, error }) => {
      if (error) return toRuntime({ id, error });
      thread.session = result.sessionId;
      threads.set(threadId, thread);
      const identity = { threadId, providerThreadId: thread.session };
      answer(id, identity);
      toRuntime({ method: "thread/identity", params: identity });
      say(thread, { kind: "thread.started" });
    });
  },

  "turn/start"(id, { threadId, input, clientRequestId }) {
    const thread = known(threadId);
    if (!Array.isArray(input)) throw new BadParams("input: a list of content blocks");
    if (thread.open) throw new BadParams("a turn is open");
    say(thread, { kind: "turn.open" }, { kind: "input.accepted", input, clientRequestId });
    answer(id, { threadId });
    Object.assign(thread, { open: true, stopped: false });
    ask("session/prompt", { sessionId: thread.session, prompt: input }, (m) => endTurn(thread, m));
  },

  "thread/stop"(id, { threadId, intent }) {
    const thread = known(threadId);
    if (intent === "release") threads.delete(threadId);
    else if (intent !== "interrupt") throw new BadParams("intent: interrupt or release");
    else if (thread.open && !thread.stopped) {
      thread.stopped = true;
      toAgent({ method: "session/cancel", params: { sessionId: thread.session } });
      withdraw(thread);
    }
    answer(id, { threadId });
  },
};

function known(threadId) {
  if (!threads.has(threadId)) throw new BadParams(`unknown thread ${threadId}`);
  return threads.get(threadId);
}

function fromRuntime({ id, method, params, result }) {
  if (method === undefined) {
    const then = waiting.get(id);
    waiting.delete(id);
    return then?.(result);
  }
  const handle = Object.hasOwn(runtimeMethods, method) ? runtimeMethods[method] : undefined;
  if (!handle) return refuse(id, -32601, `unknown method ${method}`);
  try {
    handle(id, params ?? {});
  } catch (error) {
    if (!(error instanceof BadParams)) throw error;
    refuse(id, -32602, error.message);
  }
}

// -- the agent -----------------------------------------------------------------------------------------

function fromAgent(message) {
  const { id, method } = message;
  const params = message.params ?? {};
  if (method === undefined) {
    const then = pending.get(id);
    pending.delete(id);
    return then?.(message);
  }
  const thread = [...threads.values()].find((one) => one.session === params.sessionId);
  if (method === "session/update" && thread) return update(thread, params.update ?? {});
  if (method === "session/request_permission" && thread) return permission(thread, id, params);
  if (id !== undefined) toAgent({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  if (thread) say(thread, unhandled(thread, message, method));
}

const WORK = new Set(["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"]);
const unhandled = (thread, raw, rawType) => ({ kind: "unhandled", raw, rawType, vouchedTurn: thread.open });

function update(thread, said) {
  if (!thread.open && WORK.has(said.sessionUpdate)) return say(thread, unhandled(thread, said, said.sessionUpdate));
  switch (said.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return chunk(thread, said);
    case "tool_call":
    case "tool_call_update":
      return toolCall(thread, said);
    case "plan":
      return plan(thread, said);
    case "usage_update":
      return say(thread, { kind: "contextWindow", used: said.used, size: said.size });
    case "session_info_update":
      return said.title && say(thread, { kind: "thread.name", name: said.title });
    case "available_commands_update": // on offer only: nothing happened
    case "config_option_update":
      return undefined;
    default:
      return say(thread, unhandled(thread, said, String(said.sessionUpdate ?? "session/update")));
  }
}

function chunk(thread, { sessionUpdate, content, messageId }) {
  if (content?.type !== "text" || content.text === "") return;
  const channel = sessionUpdate === "agent_message_chunk" ? "agentMessage" : "reasoningText";
  const before = thread.text;
  const same = before && before.channel === channel && before.providerItemId === messageId;
  if (before && !same) closeText(thread);
  thread.text = same ? before : { channel, providerItemId: messageId };
  say(thread, { kind: "item.textDelta", key: thread.text, text: content.text });
}

function closeText(thread, always = true) {
  // Other work ends a message that has no id of its own; the end of the turn ends any.
  if (!thread.text || (!always && thread.text.providerItemId !== undefined)) return;
  say(thread, { kind: "item.textClose", key: thread.text });
  thread.text = undefined;
}

function plan(thread, { entries }) {
  if (!Array.isArray(entries)) return;
  closeText(thread, false);
  const steps = entries.map(({ content, status, priority }) => ({ step: content, status, priority }));
  if (isEqual(steps, thread.plan)) return;
  thread.plan = steps;
  say(thread, { kind: "item.open", key: { channel: "planSteps" }, item: { type: "planSteps", steps } });
}

// -- tool calls ----------------------------------------------------------------------------------------

function callOf(thread, id) {
  let call = thread.calls.get(id);
  if (!call) {
    closeText(thread, false);
    call = { id, key: { providerItemId: id }, status: "pending", input: {} };
    thread.calls.set(id, call);
  }
  return call;
}

/** Take what a frame says; absent never forgets what is known. */
function merge(call, { title, kind, rawInput, locations, status, content, rawOutput }) {
  call.title = title ?? call.title;
  call.toolKind = kind ?? call.toolKind;
  if (rawInput && Object.keys(rawInput).length) call.input = rawInput;
  if (locations?.length) call.path = locations[0].path;
  if (STATUSES.has(status) && status !== "pending") call.status = status;
  call.output = rawOutput ?? call.output;
  const diffs = content?.filter((block) => block.type === "diff");
  if (diffs?.length) call.diffs = diffs;
  const texts = content?.filter((block) => block.type === "content" && block.content.type === "text");
  const text = texts?.length ? texts.map((block) => block.content.text).join("\n") : undefined;
  if (call.status === "pending") call.note = text ?? call.note; // before it runs, content describes it
  else call.text = text ?? call.text; // then it is what came out
}

function toolCall(thread, said) {
  const call = callOf(thread, said.toolCallId);
  if (call.settled) return;
  merge(call, said);
  call.told = true;
  open(thread, call);
  const isCommand = call.item.type === "command";
  if (TERMINAL.has(call.status)) close(thread, call, call.status);
  else if (isCommand && call.text !== undefined && call.text !== call.shown) {
    call.shown = call.text;
    say(thread, { kind: "command.outputSnapshot", key: call.key, text: call.text });
  }
}

/** Say what the call is, again whenever more is known. */
function open(thread, call) {
  const item = itemOf(thread, call);
  const detail = call.reason ?? call.note;
  const isNew = detail && ![item.command ?? call.title, `$ ${item.command}`].includes(detail.trim());
  const presentation = { title: call.title, detail: isNew ? detail : undefined };
  if (isEqual([item, presentation], [call.item, call.presentation])) return;
  Object.assign(call, { item, presentation });
  say(thread, { kind: "item.open", key: call.key, item, presentation });
}

function itemOf(thread, call) {
  const { input } = call;
  const named = PATH_ARGUMENTS.map((name) => input[name]).find((value) => typeof value === "string");
  const file = absolute(thread, named ?? call.path);
  switch (call.toolKind) {
    case "execute": {
      const command = Array.isArray(input.command) ? input.command.join(" ") : input.command;
      return { type: "command", command, cwd: input.cwd };
    }
    case "read":
      if (file) return { type: "fileRead", path: file };
      break;
    case "edit":
      return { type: "fileChange", changes: call.diffs?.map(changeOf) ?? (file ? [{ path: file }] : []) };
    case "fetch":
      if (input.url) return { type: "webFetch", url: input.url };
  }
  const ended = TERMINAL.has(call.status);
  const args = Object.keys(input).length ? input : undefined;
  const error = call.status === "failed" ? call.text : undefined;
  return { type: "tool", args, result: ended ? call.output : undefined, error };
}

const absolute = (thread, file) => file && path.posix.resolve(thread.cwd, file);

function changeOf({ path: file, oldText, newText }) {
  return { path: file, kind: oldText ? "update" : "add", oldText: oldText ?? undefined, newText };
}

function close(thread, call, status) {
  call.settled = true;
  const delta = { kind: "item.close", key: call.key, status };
  if (call.decision === "denied") delta.approvalStatus = "denied";
  if (status !== "interrupted") {
    const { output } = call;
    if (call.item.type === "command" && call.decision !== "denied") {
      const code = output?.exitCode ?? output?.exit_code;
      if (Number.isInteger(code)) delta.exitCode = code;
      delta.aggregatedOutput = call.text || outputText(output) || undefined;
    } else {
      delta.resultText = call.text || (typeof output?.error === "string" ? output.error : undefined);
    }
  }
  say(thread, delta);
}

function outputText(output) {
  if (typeof output === "string") return output;
  const streams = [output?.stdout, output?.stderr].filter(Boolean);
  return streams.length ? streams.join("") : output?.output;
}

// -- permission requests -------------------------------------------------------------------------------

function permission(thread, id, { toolCall: said, options }) {
  const call = askedCall(thread, said);
  const { title, kind, rawInput, content } = said;
  call.title ??= title;
  call.toolKind ??= kind;
  call.input = { ...rawInput, ...call.input };
  const reason = content?.map((block) => block.content?.text).filter(Boolean).join("\n");
  if (reason) call.reason = reason;
  open(thread, call);
  const interactionId = `interaction-${++interactions}`;
  const payload = { kind: "approval", title: call.title, reason: call.reason, options };
  thread.asks.set(interactions, { id, call });
  waiting.set(interactions, answered.bind(null, thread, interactions, options));
  const params = { threadId: thread.id, interactionId, itemId: call.id, payload };
  toRuntime({ id: interactions, method: "interaction/request", params });
}

/** The call a request is about: the one of its id, else the only open one of its kind; else a new one. */
function askedCall(thread, { toolCallId, kind }) {
  const open = [...thread.calls.values()].filter((call) => !call.settled && call.toolKind === kind);
  return !thread.calls.has(toolCallId) && open.length === 1 ? open[0] : callOf(thread, toolCallId);
}

function answered(thread, number, options, result) {
  const { id, call } = thread.asks.get(number);
  thread.asks.delete(number);
  const chosen = options.find((option) => option.optionId === result?.optionId);
  call.decision = chosen ? (chosen.kind.startsWith("allow") ? "allowed" : "denied") : "cancelled";
  const outcome = chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" };
  toAgent({ id, result: { outcome } });
  if (call.decision === "allowed" || call.settled) return;
  if (call.decision === "cancelled") close(thread, call, "interrupted");
  else if (!call.told) close(thread, call, "failed");
}

/** A stopped or ended turn waits for no person. */
function withdraw(thread) {
  for (const number of [...thread.asks.keys()]) {
    waiting.delete(number);
    answered(thread, number, [], undefined);
  }
}

// -- the end of a turn ---------------------------------------------------------------------------------

function endTurn(thread, { result, error }) {
  if (threads.get(thread.id) !== thread) return; // released: nothing more is said of it
  withdraw(thread);
  if (result?.usage) say(thread, { kind: "usage", turn: result.usage });
  if (error) say(thread, { kind: "provider.error", message: error.message, code: error.code });
  closeText(thread);
  for (const call of thread.calls.values()) if (!call.settled) abandon(thread, call, result?.stopReason);
  if (thread.plan) say(thread, { kind: "item.close", key: { channel: "planSteps" }, status: "completed" });
  say(thread, { kind: "turn.boundary", ...turnStatus(thread, result?.stopReason, error) });
  Object.assign(thread, { open: false, plan: undefined });
  thread.calls.clear();
}

/** The agent left the call open: nothing is known of how it ended. */
function abandon(thread, call, stopReason) {
  if (stopReason === "end_turn" && call.decision !== "denied") {
    const detail = "the agent ended the turn without reporting a result";
    const presentation = { title: call.title, detail };
    say(thread, { kind: "item.close", key: call.key, status: "interrupted", presentation });
    call.settled = true;
  } else close(thread, call, call.decision === "denied" ? "failed" : "interrupted");
}

function turnStatus(thread, stopReason, error) {
  if (thread.stopped || stopReason === "cancelled") return { status: "interrupted" };
  if (error) return { status: "failed", error: error.message };
  if (stopReason === "end_turn") return { status: "completed" };
  return { status: "failed", error: `the agent stopped: ${stopReason}` };
}

// ------------------------------------------------------------------------------------------------------

const isEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);

onLines(process.stdin, fromRuntime);
process.stdin.on("end", () => {
  agent?.kill();
  process.exit(0);
});
