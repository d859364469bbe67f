// The reference is read without this. It tries operations out: each call goes to this origin alone, with the key that was
// pasted and without cookies, and no key is kept.
"use strict";

const credential = document.getElementById("credential");
document.querySelector("[data-credential]").addEventListener("submit", (event) => event.preventDefault());

/** Address, method, headers and body of the call that a form describes. */
const described = (form) => {
  const { method, path } = form.dataset;
  const parts = [...form.querySelectorAll("[data-in]")].filter((one) => one.value !== "");
  const filled = parts
    .filter((one) => one.dataset.in === "path")
    .reduce((whole, one) => whole.replace(`{${one.name}}`, encodeURIComponent(one.value.trim())), path);
  const query = new URLSearchParams(parts.filter((one) => one.dataset.in === "query").map((one) => [one.name, one.value]));
  const headers = {};
  if (credential.value.trim()) headers.Authorization = `Bearer ${credential.value.trim()}`;

  let body;
  const text = form.querySelector("textarea")?.value.trim();
  const inForm = parts.filter((one) => one.dataset.in === "form");
  if (inForm.length) {
    body = new FormData();
    for (const one of inForm) body.append(one.name, one.files?.[0] ?? one.value);
  } else if (text) {
    body = text;
    headers["Content-Type"] = "application/json";
  }
  return [location.origin + filled + (query.size ? `?${query}` : ""), { method, headers, body, credentials: "omit" }];
};

/** What an answer carries, as text. */
const read = async (answer) => {
  const type = answer.headers.get("Content-Type") ?? "";
  if (type.startsWith("application/json")) return JSON.stringify(await answer.json(), null, 2);
  if (type.startsWith("text/")) return answer.text();
  return `${(await answer.blob()).size} bytes of ${type}`;
};

const tell = (result, line, text) => {
  const head = document.createElement("p");
  head.textContent = line;
  const whole = document.createElement("pre");
  whole.tabIndex = 0;
  whole.textContent = text;
  result.replaceChildren(head, ...(text ? [whole] : []));
};

for (const details of document.querySelectorAll(".try")) {
  const form = details.querySelector("form");
  const result = form.querySelector(".result");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    tell(result, "Waiting for the answer …", "");
    try {
      const answer = await fetch(...described(form));
      const left = answer.headers.get("RateLimit-Remaining");
      tell(result, `${answer.status} ${answer.statusText}, ${left} requests left in this minute`, await read(answer));
    } catch (error) {
      tell(result, "No answer came.", String(error));
    }
  });
}
