// The guides work without this. It searches them.
"use strict";

const MOST = 10;
const search = document.querySelector(".guide-search");
const field = search.querySelector("input");
const found = search.querySelector(".found");
const status = search.querySelector("[role=status]");
let index;

const load = async () => {
  index ??= fetch(search.dataset.index, { credentials: "omit" }).then((answer) => answer.json());
  try {
    return await index;
  } catch {
    index = undefined;
    return null;
  }
};

/** How often words begin with `word`, or are it, which counts twice. */
const count = (text, word) => {
  const parts = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  return parts.reduce((sum, part) => sum + (part === word ? 2 : part.startsWith(word) ? 1 : 0), 0);
};

/** How well an entry fits, 0 if a word is missing. */
const score = (entry, words) => {
  let sum = 0;
  for (const word of words) {
    const own = count(entry.title || entry.page, word);
    const all = count(`${entry.page} ${entry.title}`, word);
    const times = count(entry.text, word);
    if (!times && !all) return 0;
    sum += 10 * own + 3 * all + Math.min(times, 6);
  }
  return sum * entry.weight;
};

const marked = (text, words) => {
  const lower = text.toLowerCase();
  const at = words.map((word) => [lower.indexOf(word), word.length]).filter(([start]) => start >= 0);
  const [start, length] = at[0] ?? [0, 0];
  const from = Math.max(0, start - 60);
  const line = document.createElement("span");
  const mark = document.createElement("mark");
  mark.textContent = text.slice(start, start + length);
  line.append(from ? "… " : "", text.slice(from, start), ...(length ? [mark] : []), text.slice(start + length, start + 110));
  return line;
};

const show = async () => {
  const words = field.value.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  const asked = field.value;
  const entries = words.length ? await load() : [];
  if (field.value !== asked) return;
  const best = (entries ?? [])
    .map((entry) => [score(entry, words), entry])
    .filter(([fit]) => fit)
    .sort(([one], [other]) => other - one)
    .slice(0, MOST);
  found.replaceChildren(
    ...best.map(([, entry]) => {
      const link = document.createElement("a");
      const title = document.createElement("strong");
      title.textContent = entry.title ? `${entry.page}: ${entry.title}` : entry.page;
      link.href = entry.url;
      link.append(title, marked(entry.text, words));
      link.addEventListener("click", () => { found.hidden = true; });
      const row = document.createElement("li");
      row.append(link);
      return row;
    }),
  );
  if (words.length && !best.length) {
    const none = document.createElement("li");
    none.textContent = entries ? "Nothing was found." : "The search is not available now.";
    found.append(none);
  }
  found.hidden = !words.length;
  status.textContent = words.length ? `${best.length} found` : "";
};

field.addEventListener("focus", load, { once: true });
field.addEventListener("input", show);
search.addEventListener("submit", (event) => {
  event.preventDefault();
  show().then(() => found.querySelector("a")?.click());
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    found.hidden = true;
    field.focus();
  }
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) found.hidden = true;
});
