// Lets readers narrow the table in each `.filterable` element: a box for words, and a list of values
// for each column that `data-facets` names. The address keeps what was chosen, so it can be shared.
"use strict";

// A cell's value: the text of its link where it has one, else all of its text.
function valueOf(cell) {
  return (cell.querySelector("a") ?? cell).textContent.trim();
}

function labelled(text, control) {
  const label = document.createElement("label");
  label.append(text, control);
  return label;
}

function wordBox() {
  const box = document.createElement("input");
  box.type = "search";
  box.name = "q";
  box.placeholder = "such as fork";
  box.autocomplete = "off";
  return box;
}

function valueList(name, values) {
  const list = document.createElement("select");
  list.name = name.toLowerCase().replace(/\W+/g, "-").replace(/^-|-$/g, "");
  list.add(new Option("any", ""));
  for (const value of values) list.add(new Option(value, value));
  return list;
}

function enhance(block) {
  const head = [...block.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
  const rows = [...block.querySelectorAll("tbody tr")];

  const words = wordBox();
  const facets = block.dataset.facets.split("; ").map((name) => {
    const column = head.indexOf(name);
    const values = new Set(rows.map((row) => valueOf(row.cells[column])));
    return { column, name, list: valueList(name, values) };
  });
  const count = document.createElement("output");
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Show all";
  const state = document.createElement("div");
  state.className = "filter__state";
  state.append(count, reset);
  const form = document.createElement("form");
  form.className = "filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Methods");
  form.append(
    labelled("Words", words),
    ...facets.map(({ name, list }) => labelled(name, list)),
    state,
  );

  function fits(row, wanted) {
    const text = row.textContent.toLowerCase();
    return (
      wanted.every((word) => text.includes(word)) &&
      facets.every(({ column, list }) => !list.value || valueOf(row.cells[column]) === list.value)
    );
  }

  function apply() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !fits(row, wanted);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = `${shown} of ${rows.length} shown`;
    reset.hidden = shown === rows.length;
  }

  function update() {
    apply();
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const address = new URL(location.href);
    address.search = query;
    history.replaceState(history.state, "", address);
  }

  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name);
    if (control) control.value = value;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  reset.addEventListener("click", () => (form.reset(), update(), words.focus()));
  block.prepend(form);
  apply();
}

document.querySelectorAll(".filterable").forEach(enhance);
