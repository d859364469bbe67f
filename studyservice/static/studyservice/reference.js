// Swagger UI as the API reference. It calls this origin alone, with the key that was pasted and without cookies, and
// keeps no key. What it draws is completed here: no link inside a button, and a name for what has none.
"use strict";

const reference = document.getElementById("reference");

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const plugin = ({ React: { createElement } }) => ({
  components: {
    Reference: ({ getComponent }) =>
      createElement(
        "div",
        { className: "swagger-ui" },
        ...["AuthorizeBtnContainer", "errors", "operations"].map((name) => createElement(getComponent(name, true))),
      ),
    DeepLink: ({ text }) => createElement("span", null, text),
    CloseIcon: () => "Close",
  },
  statePlugins: {
    spec: {
      wrapActions: {
        // One field for the key, instead of one for each way to send it.
        updateJsonSpec: (update) => (spec) => {
          const { bearer } = spec.components.securitySchemes;
          update({ ...spec, components: { ...spec.components, securitySchemes: { bearer } } });
        },
      },
    },
  },
});

const completions = [
  ["textarea:not([aria-label])", "aria-label", "Request body"],
  ["select:not([aria-label])", "aria-label", "Choice"],
  ["pre:not([tabindex])", "tabindex", "0"],
  ["h6:not([aria-level])", "aria-level", "5"],
  ["table[role=region]", "role", "table"],
];
const complete = () => {
  for (const [selector, attribute, value] of completions) {
    for (const element of reference.querySelectorAll(selector)) element.setAttribute(attribute, value);
  }
};
new MutationObserver(complete).observe(reference, { childList: true, subtree: true });

SwaggerUIBundle({
  url: reference.dataset.description,
  domNode: reference,
  layout: "Reference",
  plugins: [plugin],
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  syntaxHighlight: false,
  persistAuthorization: false,
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    return Object.assign(request, { url: location.origin + pathname + search, credentials: "omit" });
  },
});
