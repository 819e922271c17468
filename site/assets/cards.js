// Makes each wide table ready to be shown as cards on a narrow screen, which site.css does. The cells get
// the names of their columns, and the roles that a browser drops when a table is laid out otherwise.
// On a wide screen names stay whole; the longest break between their words if there is no room.
"use strict";

const ROLES = { thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };

const LONG = 30;

function label(table) {
  const head = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  if (head.length < 3) return;
  table.dataset.cards = "";
  table.setAttribute("role", "table");
  for (const [tag, role] of Object.entries(ROLES))
    for (const part of table.querySelectorAll(tag)) part.setAttribute("role", role);
  // If code is in the first column, its cells are the names of the rows: headings, not facts.
  const rows = [...table.tBodies[0].rows];
  const named = rows.some((row) => row.cells[0].querySelector("code"));
  for (const row of rows)
    [...row.cells].slice(named ? 1 : 0).forEach((cell) => {
      const name = head[cell.cellIndex];
      cell.dataset.label = name.endsWith("?") ? `${name} ` : `${name}: `;
    });
}

function loosen(name) {
  if (name.textContent.length <= LONG) return;
  const words = name.textContent.split(/(?<=[a-z])(?=[A-Z])/);
  name.replaceChildren(...words.flatMap((word) => [document.createElement("wbr"), word]).slice(1));
}

document.querySelectorAll(".md-typeset table:not([class])").forEach(label);
document.querySelectorAll(".md-typeset td code").forEach(loosen);
