import { CWD, COMMANDS, NOW, SHARED, TERMINAL, TOOL, base64, configOptions, text } from "./world.mjs";

/** What the agent reports during its longest piece of work, one list a theme. */

export const thinking = [
  { sessionUpdate: "agent_thought_chunk", messageId: "thought-1", content: text("Start with ") },
  { sessionUpdate: "agent_thought_chunk", messageId: "thought-1", content: text("the cart.") },
  {
    sessionUpdate: "agent_thought",
    messageId: "thought-1",
    content: [text("Start with the cart.")],
    _meta: { "acme.dev/depth": 2 },
  },
];

export const speaking = [
  { sessionUpdate: "agent_message_chunk", messageId: "answer-1", content: text("The total is rounded ") },
  { sessionUpdate: "agent_message_chunk", messageId: "answer-1", content: text("twice: 0.1 + 0.2 ≠ 0.3 €.") },
  {
    sessionUpdate: "agent_message_chunk",
    messageId: "answer-1",
    content: { type: "_acme_chart", points: [1, 2.5, -3e-7], labels: null },
  },
];

export const reading = [
  {
    sessionUpdate: "tool_call_update",
    toolCallId: TOOL.read,
    name: "read_file",
    title: "Read cart.ts",
    kind: "read",
    status: "in_progress",
    locations: [{ path: `${CWD}/src/cart.ts`, line: 12 }, { path: `${SHARED}/money.ts` }],
    rawInput: { path: "src/cart.ts", range: [1, 80] },
  },
  {
    sessionUpdate: "tool_call_content_chunk",
    toolCallId: TOOL.read,
    content: { type: "content", content: text("export function total(items) {") },
  },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: TOOL.read,
    status: "completed",
    rawOutput: "80 lines",
    locations: null,
  },
];

export const editing = {
  sessionUpdate: "tool_call_update",
  toolCallId: TOOL.edit,
  title: "Edit cart.ts",
  kind: "edit",
  status: "pending",
  content: [
    {
      type: "diff",
      changes: [
        { operation: "modify", path: `${CWD}/src/cart.ts`, fileType: "text", mimeType: "text/typescript" },
        { operation: "add", path: `${CWD}/src/money.ts`, fileType: "text" },
        { operation: "delete", path: `${CWD}/src/round.ts` },
        { operation: "move", oldPath: `${CWD}/logo.png`, path: `${CWD}/img/logo.png`, fileType: "binary" },
        { operation: "copy", oldPath: `${CWD}/.env.example`, path: `${CWD}/.env` },
        { operation: "_acme_chmod", path: `${CWD}/run.sh`, bits: 493 },
      ],
      patch: { format: "git_patch", text: "--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1 +1 @@\n-a\n+b\n" },
    },
  ],
};

export const edited = {
  sessionUpdate: "tool_call_update",
  toolCallId: TOOL.edit,
  status: "completed",
};

export const building = [
  {
    sessionUpdate: "terminal_update",
    terminalId: TERMINAL.build,
    command: "npm run build",
    cwd: CWD,
    size: { cols: 80, rows: 24 },
  },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "tool-build",
    title: "Build",
    kind: "execute",
    status: "in_progress",
    content: [{ type: "terminal", terminalId: TERMINAL.build }],
  },
  { sessionUpdate: "terminal_output_chunk", terminalId: TERMINAL.build, data: base64("building…\r\n") },
  {
    sessionUpdate: "terminal_update",
    terminalId: TERMINAL.build,
    output: { data: base64("building…\r\n\u001b[32mdone\u001b[0m\r\n") },
    exitStatus: { exitCode: 0, signal: null },
  },
  { sessionUpdate: "tool_call_update", toolCallId: "tool-build", status: "failed", kind: "_acme_build" },
];

export const planning = [
  {
    sessionUpdate: "plan_update",
    plan: {
      type: "items",
      planId: "plan-1",
      entries: [
        { content: "Find the rounding error", priority: "high", status: "completed" },
        { content: "Add a test", priority: "medium", status: "in_progress" },
        { content: "Tidy up", priority: "low", status: "pending" },
      ],
    },
  },
  {
    sessionUpdate: "plan_update",
    plan: { type: "markdown", planId: "plan-2", content: "# Later\n\n- currencies\n" },
  },
  {
    sessionUpdate: "plan_update",
    plan: { type: "file", planId: "plan-3", uri: `file://${CWD}/PLAN.md` },
  },
  { sessionUpdate: "plan_removed", planId: "plan-2" },
];

export const bookkeeping = [
  { sessionUpdate: "available_commands_update", availableCommands: COMMANDS.slice(0, 1) },
  { sessionUpdate: "config_option_update", configOptions: configOptions({ mode: "code" }) },
  { sessionUpdate: "session_info_update", title: "Checkout review", updatedAt: NOW },
  {
    sessionUpdate: "usage_update",
    used: 53_000,
    size: 200_000,
    cost: { amount: 0.045, currency: "USD" },
  },
  { sessionUpdate: "notice", severity: "warning", title: "Slow network", description: "Retrying." },
  { sessionUpdate: "notice", severity: "info", title: "Back online" },
];

export const compacting = [
  { sessionUpdate: "compaction_update", compactionId: "compact-1", status: "in_progress" },
  {
    sessionUpdate: "compaction_summary_chunk",
    compactionId: "compact-1",
    content: text("The cart was reviewed."),
  },
  {
    sessionUpdate: "compaction_update",
    compactionId: "compact-1",
    status: "completed",
    summary: [text("The cart was reviewed.")],
  },
  { sessionUpdate: "compaction_update", compactionId: "compact-2", status: "failed", error: "Out of space" },
];

export const delegating = [
  {
    sessionUpdate: "subagent_update",
    sessionId: "sess-child",
    title: "Test writer",
    description: "Writes the missing test",
    capabilities: { cancel: {} },
    state: { state: "running" },
    cwd: `${CWD}/test`,
  },
  {
    sessionUpdate: "session_message",
    messageId: "mail-1",
    recipientSessionId: "sess-child",
    content: [text("Cover the rounding.")],
  },
  { sessionUpdate: "session_message_chunk", messageId: "mail-1", content: text(" Twice.") },
  {
    sessionUpdate: "subagent_update",
    sessionId: "sess-child",
    state: { state: "idle", stopReason: "max_turn_requests" },
  },
  { sessionUpdate: "_acme_mascot", mood: "curious", legs: 4 },
];

export const background = [
  {
    state: "running",
    background: [
      { type: "terminal", terminalId: TERMINAL.build },
      { type: "tool_call", toolCallId: TOOL.read },
      { type: "subagent", sessionId: "sess-child" },
    ],
  },
  { state: "unknown", background: null },
];

export const usage = {
  totalTokens: 1_530,
  inputTokens: 1_200,
  outputTokens: 330,
  thoughtTokens: 90,
  cachedReadTokens: 800,
  cachedWriteTokens: null,
};
