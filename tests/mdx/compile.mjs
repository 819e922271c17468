// Reads {"path": "text", ...} on stdin and compiles each text as MDX, with and without the tables
// of GitHub. Prints {"path": "reason", ...} for those that fail, or that hold what only MDX knows:
// an expression, an element or a module statement, however valid. With --elements, and with tables
// only, these may be there, but not two markers of a region in different elements or list items.
import { text } from "node:stream/consumers";
import { compile } from "@mdx-js/mdx";
import remarkGfm from "remark-gfm";

function refuseMdx() {
  return (node, file) => {
    if (node.type.startsWith("mdx")) file.fail(`${node.type}: ${node.value ?? node.name}`, node);
    for (const child of node.children ?? []) refuseMdx()(child, file);
  };
}

function keepTogether() {
  const begun = new Map();
  return function check(node, file) {
    for (const child of node.children ?? []) {
      const [, word, name] = /acpgen:(begin|end) (\S+)/.exec(child.value ?? "") ?? [];
      if (word === "begin") begun.set(name, node);
      else if (word === "end" && begun.get(name) !== node) file.fail(`${name} is torn`, child);
      check(child, file);
    }
  };
}

const ways = process.argv.includes("--elements")
  ? [[remarkGfm, keepTogether]]
  : [[refuseMdx], [remarkGfm, refuseMdx]];
const pages = JSON.parse(await text(process.stdin));
const failures = {};
for (const [path, page] of Object.entries(pages)) {
  for (const remarkPlugins of ways) {
    try {
      await compile(page, { remarkPlugins });
    } catch (error) {
      failures[path] = `${error.line}:${error.column}: ${error.reason}`;
    }
  }
}
console.log(JSON.stringify(failures));
