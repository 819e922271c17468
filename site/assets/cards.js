// Makes each wide table ready to be shown as cards on a narrow screen, which site.css does: every cell
// gets the name of its column, and the roles that a browser drops when a table is laid out otherwise.
"use strict";

const ROLES = { thead: "rowgroup", tbody: "rowgroup", tr: "row", th: "columnheader", td: "cell" };

function label(table) {
  const head = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  if (head.length < 3) return;
  table.dataset.cards = "";
  table.setAttribute("role", "table");
  for (const [tag, role] of Object.entries(ROLES))
    for (const part of table.querySelectorAll(tag)) part.setAttribute("role", role);
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((cell, i) => {
      cell.dataset.label = head[i].endsWith("?") ? `${head[i]} ` : `${head[i]}: `;
    });
}

document.querySelectorAll(".md-typeset table:not([class])").forEach(label);
