// The pages work without this. It adds copy buttons, ticks whole tables, closes the menu, and keeps a reload from creating
// a second key.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  const text = button.parentElement.querySelector("code").textContent;
  const label = button.firstChild;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      label.data = "Copied";
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      label.data = "Press Ctrl+C to copy";
    }
    setTimeout(() => { label.data = "Copy"; }, 4000);
  });
}

const shownOnce = document.querySelector("[data-shown-once]");
if (shownOnce) {
  history.replaceState(null, "", shownOnce.dataset.shownOnce);
}

for (const bar of document.querySelectorAll("[data-tick-all]")) {
  for (const button of bar.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      // What would be deleted is ticked by hand alone.
      for (const box of bar.nextElementSibling.querySelectorAll("tr:not(.gone) input[type=checkbox]")) {
        box.checked = button.dataset.tick === "true";
      }
    });
  }
}

const menu = document.querySelector("[data-menu]");
if (menu) {
  document.addEventListener("click", ({ target }) => { menu.open &&= menu.contains(target); });
  menu.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
}
