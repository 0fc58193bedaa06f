// Tables that are wider than the page scroll by themselves: who has no mouse must be able to reach them, too.
"use strict";
const reachable = () => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", "table");
  }
};
new MutationObserver(reachable).observe(document.documentElement, { childList: true, subtree: true });
document.addEventListener("DOMContentLoaded", reachable);
