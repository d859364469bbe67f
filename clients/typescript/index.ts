// A client of the Study Data Service: openapi-fetch with the types of the service's description, and with what every
// call needs: retries, keys that make them safe, pages, and errors as exceptions.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

/** The seconds before the second, the third and the fourth try. */
const PAUSES = [1, 2, 4];

/** The longest wait that is waited for: a window of the rate is a minute. Limits of an hour are the caller's matter. */
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
  /** What sends a request; by default that of the platform. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The service answered with an error, and with the same one after what retries there are. */
export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    /** Of HTTP. */
    readonly status: number,
    /** As the service's page on errors names it, such as `not_found`; empty if the answer is not the service's. */
    readonly type: string,
    message: string,
    /** Names the request in the logs of the service. */
    readonly requestId: string | undefined,
    /** What is wrong with which field. */
    readonly details: NonNullable<ErrorRecord["details"]>,
    /** Seconds after which the call may be sent again, if the service said so. */
    readonly retryAfter: number | undefined,
  ) {
    const fields = details.map(({ field, message: wrong }) => ` ${field}: ${wrong}`).join("");
    super(`${status} ${type}: ${message}${fields} (${requestId})`);
  }
}

/** The service, under one credential. Needs no connection yet. */
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

/** The paths of lists that come in pages. */
export type ListPath = { [Path in keyof Lists]: [Lists[Path]] extends [never] ? never : Path }[keyof Lists];

/** The entries of all pages of a list; each page, of 100 unless told, is asked for when those before it were taken. */
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

/** Sends a request again where that may help. A POST gets an `Idempotency-Key`, so that the service does it once. */
function retrying(send: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    }
    for (const pause of PAUSES) {
      const answer = await whole(send, request.clone()).catch((broken: unknown) => {
        if (request.signal.aborted || !(broken instanceof TypeError)) throw broken;
        return undefined; // fetch has this error alone for a connection that broke
      });
      const seconds = answer === undefined ? pause : wait(answer, pause);
      if (answer !== undefined && seconds === undefined) return answer;
      await passed(seconds ?? pause, request.signal);
    }
    return whole(send, request);
  };
}

/** Resolves after these seconds. Throws the reason as soon as the caller gives the call up. */
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

/** An answer that was read to its end, so that one that breaks off counts as a broken connection. */
async function whole(send: (request: Request) => Promise<Response>, request: Request): Promise<Response> {
  const answer = await send(request);
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, answer);
}

/** The seconds after which an answer is worth another try; undefined if it is not. */
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
