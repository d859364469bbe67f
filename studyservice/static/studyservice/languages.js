// Shows the examples of the guides in the language that a reader chose. It runs in the head and sees each example as it is
// parsed, so that none is painted in another language first.
"use strict";

const LANGUAGE = "language-of-examples";

const choose = (language) => {
  for (const choice of document.querySelectorAll(".code-tabs > input")) {
    if (choice.value === language) choice.checked = true;
  }
};

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".code-tabs > input")) return;
  const before = target.getBoundingClientRect().top;
  choose(target.value);
  scrollBy(0, target.getBoundingClientRect().top - before); // what is above it may have grown
  try {
    localStorage.setItem(LANGUAGE, target.value);
  } catch {
    // Storage is closed to this page: the choice holds for it alone.
  }
});

try {
  const language = localStorage.getItem(LANGUAGE);
  if (language) {
    const parsed = new MutationObserver(() => choose(language));
    parsed.observe(document, { childList: true, subtree: true });
    document.addEventListener("DOMContentLoaded", () => parsed.disconnect());
  }
} catch {
  // The same: examples begin with their first language.
}
