// The study page works without this. Space shows the answer, 1 to 4 rate it.
"use strict";

const answer = document.querySelector("[data-answer]");

// Keys go on from the answer, and a reader for the blind reads it. Once it is shown, nothing hides it again.
answer.addEventListener("toggle", () => {
  answer.open = true;
  answer.querySelector(".definition").focus({ preventScroll: true });
});

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (answer.open) {
    answer.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === " " && !event.target.closest("a, button, summary")) {
    event.preventDefault();
    answer.open = true;
  }
});
