// Runs one server scenario of a version of the official conformance suite, which knows no credentials: a proxy adds one.
//
// node conformance.mjs package scenario [options of the suite], with { "url", "secret" } on the standard input

import { readFileSync } from "node:fs";
import http from "node:http";

const { url, secret } = JSON.parse(readFileSync(0, "utf8"));
const [name, scenario, ...options] = process.argv.slice(2);

const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${secret}` };
  const passed = http.request(url, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  request.pipe(passed);
});

proxy.listen(0, "127.0.0.1", async () => {
  const target = `http://127.0.0.1:${proxy.address().port}/mcp`;
  const suite = new URL(`node_modules/${name}/dist/index.js`, import.meta.url);
  // The suite reads its command line when it is loaded, and ends the process.
  process.argv = [process.execPath, suite.pathname, "server", "--url", target, "--scenario", scenario, ...options];
  await import(suite);
});
