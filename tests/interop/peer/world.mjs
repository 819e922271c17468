/** The fixed names and values of the recorded story, so that each run writes the same bytes. */

export const CWD = "/workspace/shop";
export const SHARED = "/workspace/shared";
export const NOW = "2026-01-15T09:00:00Z";

export const KEYS = {
  review: "0d5a3c52-7a39-4b0e-9c55-1f6f0d0f5a01",
  rebuild: "5f2b8f5e-2b1c-4f4e-8a0f-6c2f9a7d1b02",
  held: "opaque, case-sensitive: Größe 寸法 📦",
  deploy: "c1b7e9d4-90a3-4f6e-b6a2-3d1e5c8f7a04",
};

export const TEXT = {
  review: "Review the checkout flow.",
  longJob: "Run the full test suite.",
  rebuild: "Rebuild the search index.",
  held: "Then summarise what changed.",
  deploy: "Deploy to staging.",
  failing: "Charge the test card.",
};

export const TOOL = { read: "tool-read", edit: "tool-edit", suite: "tool-suite" };
export const TERMINAL = { build: "term-build", suite: "term-suite" };
export const MCP_SERVER = { name: "editor-tools", serverId: "mcp-editor" };

export const text = (value) => ({ type: "text", text: value });
export const base64 = (value) => Buffer.from(value).toString("base64");

export const COMMANDS = [
  {
    type: "command",
    name: "review",
    description: "Review the working tree",
    input: { type: "text", hint: "path or commit" },
  },
  { type: "command", name: "compact", description: "Summarise the history", input: null },
];

/** All configuration options, with the given current values. */
export function configOptions({ mode = "ask", model = "swift", verbose = true } = {}) {
  return [
    {
      type: "select",
      configId: "mode",
      name: "Mode",
      category: "mode",
      currentValue: mode,
      options: [
        { value: "ask", name: "Ask", description: "Ask before each edit" },
        { value: "code", name: "Code" },
      ],
    },
    {
      type: "select",
      configId: "model",
      name: "Model",
      description: "Which model answers",
      category: "model",
      currentValue: model,
      options: [
        { groupId: "small", name: "Small", options: [{ value: "swift", name: "Swift" }] },
        { groupId: "large", name: "Large", options: [{ value: "deep", name: "Deep" }] },
      ],
    },
    { type: "boolean", configId: "verbose", name: "Verbose", category: "_acme_log", currentValue: verbose },
  ];
}
