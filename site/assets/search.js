// The search has a style of its own, out of reach of site.css, in which the path of a hit is too faint.
"use strict";

const readable = new CSSStyleSheet();
readable.replaceSync('menu[id$="-path"] { color: inherit; }');

for (const { shadowRoot } of document.querySelectorAll("body > div"))
  shadowRoot?.adoptedStyleSheets.push(readable);
