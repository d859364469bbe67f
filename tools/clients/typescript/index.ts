// A client of the Study Data Service: openapi-fetch with the types of the service's description, and with
// retries, idempotency keys, pages, and errors as exceptions for every call.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

/** The seconds before the second, the third and the fourth try. */
const PAUSES = [1, 2, 4];

/** The longest wait before a retry: rate windows last a minute. The caller must handle limits of an hour. */
const PATIENCE_SECONDS = 90;

const FAULTS = [500, 502, 503, 504];
const BUSY = [409, 429];

type ErrorRecord = components["schemas"]["ErrorEnvelope"]["error"];

/** Every path of the service under its method: `study.GET("/v1/me")`. */
export type Study = Client<paths>;

export interface Options {
  /** The origin of the service; by default `STUDY_URL` of the environment. */
  url?: string;
  /** An API key or an access token; by default `STUDY_API_KEY` of the environment. */
  credential?: string;
  /** The fetch function; by default that of the platform. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The service answered with an error, also after the retries. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The error type of the service's documentation, like `not_found`; empty if the answer is not the service's. */
    readonly type: string,
    message: string,
    /** Names the request in the logs of the service. */
    readonly requestId: string | undefined,
    /** The wrong fields and their errors. */
    readonly details: NonNullable<ErrorRecord["details"]>,
    /** The seconds to wait before sending the call again, if the service says so. */
    readonly retryAfter: number | undefined,
  ) {
    const fields = details.map(({ field, message: wrong }) => ` ${field}: ${wrong}`).join("");
    super(`${status} ${type}: ${message}${fields} (${requestId})`);
  }
}

/** The service, with one credential. Does not connect yet. */
export function connect(options: Options = {}): Study {
  return createClient<paths>({
    baseUrl: options.url ?? variable("STUDY_URL"),
    headers: { Authorization: `Bearer ${options.credential ?? variable("STUDY_API_KEY")}` },
    fetch: retrying(options.fetch ?? globalThis.fetch),
  });
}

declare const process: { env: Record<string, string | undefined> } | undefined;

function variable(name: string): string {
  const value = typeof process === "undefined" ? undefined : process.env[name];
  if (!value) throw new Error(`Set ${name} in the environment, or pass it to connect()`);
  return value;
}

/** The record of an answer. Throws `Refused` if it is an error. */
export async function got<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined && response.ok) return data;
  const told = (error as { error?: Partial<ErrorRecord> } | undefined)?.error ?? {};
  throw new Refused(
    response.status,
    told.type ?? "",
    told.message ?? String(error).slice(0, 200),
    told.request_id,
    told.details ?? [],
    retryAfter(response),
  );
}

type Cursors<Operation> = Operation extends {
  parameters: { query?: infer Query };
  responses: { 200: { content: { "application/json": { data: (infer Entry)[]; next_cursor: string | null } } } };
}
  ? "cursor" extends keyof Query
    ? { query: Omit<Query, "cursor">; entry: Entry }
    : never
  : never;

type Lists = { [Path in keyof paths]: Cursors<paths[Path]["get"]> };

/** The paths of lists with pages. */
export type ListPath = { [Path in keyof Lists]: [Lists[Path]] extends [never] ? never : Path }[keyof Lists];

/** The entries of all pages of a list. A page has 100 entries by default, and is fetched when the previous one is used up. */
export async function* every<Path extends ListPath>(
  study: Study,
  path: Path,
  query: Lists[Path]["query"] = {},
): AsyncGenerator<Lists[Path]["entry"], void> {
  type Page = { data: Lists[Path]["entry"][]; next_cursor: string | null };
  const get = study.GET as (path: Path, init: object) => Promise<{ data?: Page; error?: unknown; response: Response }>;
  let cursor: string | null | undefined;
  do {
    const page = await got(get(path, { params: { query: { limit: 100, ...query, cursor } } }));
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** Retries a request if that may help. A POST gets an `Idempotency-Key`, so that the service executes it once. */
function retrying(send: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    }
    for (const pause of PAUSES) {
      const answer = await whole(send, request.clone()).catch((broken: unknown) => {
        if (request.signal.aborted || !(broken instanceof TypeError)) throw broken;
        return undefined; // fetch's only error for a broken connection
      });
      const seconds = answer === undefined ? pause : wait(answer, pause);
      if (answer !== undefined && seconds === undefined) return answer;
      await passed(seconds ?? pause, request.signal);
    }
    return whole(send, request);
  };
}

/** Resolves after these seconds. Throws the reason as soon as the caller aborts the call. */
function passed(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    }, seconds * 1000);
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
  });
}

/** Reads an answer to its end, so that an interrupted one counts as a broken connection. */
async function whole(send: (request: Request) => Promise<Response>, request: Request): Promise<Response> {
  const answer = await send(request);
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, answer);
}

/** The seconds to wait before a retry; undefined if there is none. */
function wait(answer: Response, pause: number): number | undefined {
  const told = retryAfter(answer);
  if (FAULTS.includes(answer.status)) return Math.min(told ?? pause, PATIENCE_SECONDS);
  return BUSY.includes(answer.status) && told !== undefined && told <= PATIENCE_SECONDS ? told : undefined;
}

/** `Retry-After`, which the service sends as whole seconds. */
function retryAfter(answer: Response): number | undefined {
  const told = answer.headers.get("Retry-After");
  return told !== null && /^\d+$/.test(told) ? Number(told) : undefined;
}
