// Prints what the JSON language service of VS Code offers in documents, as one JSON object a line.
// Standard input: a JSON object with the settings of VS Code, the folder that they are for, and documents: the name
// of each and its text with a cursor, "|".
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import languageService from "vscode-json-languageservice";

const { getLanguageService, TextDocument } = languageService;
const { settings, folder, documents } = JSON.parse(await text(process.stdin));
const home = pathToFileURL(`${folder}/`);
const service = getLanguageService({
  workspaceContext: { resolveRelativePath: (path, base) => new URL(path, base).href },
  schemaRequestService: async (uri) => {
    if (!uri.startsWith("file:")) throw new Error(`${uri} would be fetched`);
    return readFile(new URL(uri), "utf8");
  },
});
service.configure({
  schemas: settings["json.schemas"].map((each) => ({
    fileMatch: each.fileMatch,
    uri: new URL(each.url, home).href,
  })),
});

for (const { name, marked } of documents) {
  const offset = marked.indexOf("|");
  const content = marked.slice(0, offset) + marked.slice(offset + 1);
  const document = TextDocument.create(new URL(name, home).href, "json", 1, content);
  const parsed = service.parseJSONDocument(document);
  const place = document.positionAt(offset);
  const completed = await service.doComplete(document, place, parsed);
  const hovered = await service.doHover(document, place, parsed);
  const problems = await service.doValidation(document, parsed);
  const answer = {
    labels: completed.items.map((item) => item.label),
    hover: hovered === null ? "" : hovered.contents.join("\n"),
    problems: problems.map((problem) => problem.message),
  };
  console.log(JSON.stringify(answer));
}
