// Lists the tools and the prompts, and makes the calls that stand on the standard input, with an official TypeScript
// client, and prints what came back.
//
// { "sdk": "1" or "2", "version": a revision, "url", "secret", "calls": [[tool, arguments], ...],
//   "asked": { the parameters of a prompt }, "completed": { those of a completion } }

import { readFileSync } from "node:fs";

const { sdk, version, url, secret, calls, asked, completed } = JSON.parse(readFileSync(0, "utf8"));

const { Client, StreamableHTTPClientTransport } =
  sdk === "2"
    ? await import("@modelcontextprotocol/client")
    : {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      };

const options =
  sdk === "1"
    ? {}
    : version === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: version } } }
      : { supportedProtocolVersions: [version], versionNegotiation: { mode: "legacy" } };

const client = new Client({ name: "test", version: "1" }, options);
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${secret}` } },
});
await client.connect(transport);
const { tools } = await client.listTools();
const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt(asked);
const { completion } = await client.complete(completed);
const results = [];
for (const [name, given] of calls) {
  results.push(await client.callTool({ name, arguments: given }));
}
const spoken = sdk === "2" ? client.getNegotiatedProtocolVersion() : transport.protocolVersion;
const said = { version: spoken, instructions: client.getInstructions(), tools, prompts, prompt, completion, results };
console.log(JSON.stringify(said));
await client.close();
