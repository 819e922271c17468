// Opens the tabs of one language on every page, once a reader has chosen it.
"use strict";

const CHOSEN = "acp-language";

function stored() {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null; // A browser may forbid it.
  }
}

function store(language) {
  try {
    localStorage.setItem(CHOSEN, language);
  } catch {
    // The choice then holds for this page.
  }
}

function open(language) {
  for (const tab of document.querySelectorAll(".code-tabs input"))
    if (tab.value === language) tab.checked = true;
}

document.querySelectorAll(".code-tabs").forEach((tabs) =>
  tabs.addEventListener("change", (event) => {
    store(event.target.value);
    open(event.target.value);
  }),
);
open(stored());
