// An agent without a model on the official TypeScript SDK, ACP version 1: one asked command in the client's
// terminal, one message.

import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const { agent: methods, client: asks } = acp.methods;
const COMMAND = "printf out; exit 2";
const OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

async function work(sessionId, client) {
  const update = (sessionUpdate, fields) =>
    client.notify(asks.session.update, { sessionId, update: { sessionUpdate, ...fields } });
  const toolCallId = "call-1";
  const toolCall = { toolCallId, title: COMMAND, kind: "execute", status: "pending" };
  await update("tool_call", toolCall);
  const { outcome } = await client.request(asks.session.requestPermission, {
    sessionId,
    toolCall,
    options: OPTIONS,
  });
  const allowed = outcome.optionId === "allow";
  if (allowed) {
    const shell = { sessionId, command: "sh", args: ["-c", COMMAND] };
    const { terminalId } = await client.request(asks.terminal.create, shell);
    const content = [{ type: "terminal", terminalId }];
    await update("tool_call_update", { toolCallId, status: "in_progress", content });
    for (const method of [asks.terminal.waitForExit, asks.terminal.output, asks.terminal.release]) {
      await client.request(method, { sessionId, terminalId });
    }
  }
  await update("tool_call_update", { toolCallId, status: allowed ? "completed" : "failed" });
  await update("agent_message_chunk", { content: { type: "text", text: "Done." } });
}

acp
  .agent({ name: "sdk-v1-agent" })
  .onRequest(methods.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: "sdk-v1-agent", version: "0.1.0" },
    agentCapabilities: {},
  }))
  .onRequest(methods.session.new, () => ({ sessionId: "session-1" }))
  .onRequest(methods.session.prompt, async ({ params, client }) => {
    await work(params.sessionId, client);
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
