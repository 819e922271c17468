import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { play, playFaults } from "./peer/scenario.mjs";
import { Transcript } from "./peer/wire.mjs";

const RECORDINGS = { "session.ndjson": play, "faults.ndjson": playFaults };
const folder = process.argv[2] ? pathToFileURL(`${process.argv[2]}/`) : new URL(".", import.meta.url);
let current = "";

// Two peers waiting for each other leave the event loop empty, and Node then ends without a word.
process.once("exit", () => {
  if (current) console.error(`stopped while recording ${current}`);
});

for (const [name, drive] of Object.entries(RECORDINGS)) {
  current = name;
  const transcript = new Transcript();
  await drive(transcript);
  await writeFile(new URL(name, folder), transcript.toString());
  console.log(`${name}: ${transcript.size} messages`);
}
current = "";
