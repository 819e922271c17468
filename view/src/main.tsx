import { render } from "preact";
import { App } from "./app";
import { readSession } from "./session";

const root = document.getElementById("app");
const data = document.getElementById("session");
if (root && data) {
  readSession(data.textContent ?? "").then(
    (session) => {
      root.replaceChildren();
      render(<App session={session} />, root);
    },
    (error: unknown) => {
      root.textContent = `This page can't read its session: ${String(error)}`;
    },
  );
}
