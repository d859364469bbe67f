// Proposes the browser's time zone where the account has another one. A proposal that was declined is not made again here.
"use strict";

for (const form of document.querySelectorAll("form[data-time-zone]")) {
  const found = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const declined = `time zone ${found} instead of ${form.dataset.timeZone}`;
  if (found && found !== form.dataset.timeZone && !localStorage.getItem(declined)) {
    form.elements.time_zone.value = found;
    for (const place of form.querySelectorAll("[data-found]")) {
      place.textContent = found;
    }
    form.querySelector("[data-keep]").addEventListener("click", () => {
      localStorage.setItem(declined, "yes");
      form.hidden = true;
    });
    form.hidden = false;
  }
}
