// Builds view/built/session.html from view/src. With --check, compares instead of writing.
// The same sources and packages give the same bytes on every machine.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "built", "session.html");
const read = (...path) => readFile(join(here, ...path), "utf8");

const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  bundle: true,
  charset: "ascii",
  define: { "process.env.NODE_ENV": '"production"' },
  entryPoints: ["src/main.tsx"],
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  loader: { ".css": "text" },
  metafile: true,
  minify: true,
  outdir: "built",
  target: "es2022",
  write: false,
});
const script = outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const { code: style } = await (
  await import("esbuild")
).transform(await read("src/style.css"), {
  loader: "css",
  minify: true,
  target: "es2022",
});

const folders = new Set(
  Object.keys(metafile.inputs)
    .map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter(Boolean),
);
const notices = [];
for (const name of [...folders].sort()) {
  const { version } = JSON.parse(await read("node_modules", name, "package.json"));
  const licence = (await read("node_modules", name, "LICENSE")).trim();
  notices.push(`${name} ${version}\n\n${licence}`);
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const values = {
  NOTICES: notices.join("\n\n\n").replaceAll("-->", "--&gt;"),
  POLICY: `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ${hash(script)}`,
  STYLE: style.trim(),
  SCRIPT: script,
};
const page = (await read("src", "page.html")).replace(
  /\{\{(\w+)\}\}/g,
  (whole, name) => values[name] ?? whole,
);

if (process.argv.includes("--check")) {
  const found = await readFile(target, "utf8").catch(() => "");
  if (found !== page) {
    console.error("view/built/session.html is not what view/src gives: run `make view`");
    process.exit(1);
  }
} else {
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, page);
}
