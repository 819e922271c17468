// Reads the params of a file with JSON.parse, with the generated readers, and with the zod schemas
// of the official SDK, by turns, and prints CPU time a message and its ratio to JSON.parse alone.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [index, sdk, file] = process.argv.slice(2);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const imported = async (path) => {
  const start = cpu();
  const module = await import(pathToFileURL(path).href);
  return [module, (cpu() - start) / 1000];
};
const [acp, ownImport] = await imported(index);
const [zod, zodImport] = await imported(sdk);
const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse);
const tables = { request: acp.REQUESTS, notification: acp.NOTIFICATIONS };
const work = lines.map(([kind, method, text]) => [tables[kind][method].params, text]);

const peers = {
  "JSON.parse": () => true,
  is: (type, value) => acp.is(type, value),
  read: (type, value) => acp.read(type, value) !== undefined,
  "zod of the SDK": (type, value) => zod[`z${type}`].safeParse(value).success,
};
const times = Object.fromEntries(Object.keys(peers).map((name) => [name, []]));
for (let round = 0; round < 7; round++) {
  for (const [name, accepts] of Object.entries(peers)) {
    const start = cpu();
    for (const [type, text] of work) if (!accepts(type, JSON.parse(text))) throw new Error(type);
    times[name].push((cpu() - start) / work.length);
  }
}
const median = (values) => values.slice(2).sort((a, b) => a - b)[2];
const parse = median(times["JSON.parse"]);
console.log("| TypeScript | us a message | x JSON.parse | ms to import |\n|-|-:|-:|-:|");
for (const name of Object.keys(peers)) {
  const cost = name === "JSON.parse" ? 0 : name.startsWith("zod") ? zodImport : ownImport;
  const time = median(times[name]);
  console.log(`| ${name} | ${time.toFixed(2)} | ${(time / parse).toFixed(2)} | ${cost.toFixed(0)} |`);
}
