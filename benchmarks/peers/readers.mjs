// Reads the params of a file with JSON.parse, with the generated readers, and with the zod schemas
// of the official SDK, each right after JSON.parse alone, and prints CPU time a message and the ratio.
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
const spent = (accepts) => {
  gc(); // what others left would be collected in the time of this one
  const start = cpu();
  for (const [type, text] of work) if (!accepts(type, JSON.parse(text))) throw new Error(type);
  return (cpu() - start) / work.length;
};
const median = (values) => values.slice(4).sort((a, b) => a - b)[5];
const rows = [];
for (const [name, accepts] of Object.entries(peers)) {
  const rounds = Array.from({ length: 15 }, () => [spent(peers["JSON.parse"]), spent(accepts)]);
  const cost = name === "JSON.parse" ? 0 : name.startsWith("zod") ? zodImport : ownImport;
  const ratio = median(rounds.map(([parse, taken]) => taken / parse));
  rows.push([name, median(rounds.map(([, taken]) => taken)).toFixed(2), ratio.toFixed(2), cost.toFixed(0)]);
}
console.log("| TypeScript | us a message | x JSON.parse | ms to import |\n|-|-:|-:|-:|");
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
