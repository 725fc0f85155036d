import type { EventsMeta, Meta as PageMeta, Violation } from "../api_types";
import { createStore } from "./store";
import { readShown } from "./hidden";
import { type Environment, session, sessionEnded } from "./session";

export interface ApiError {
  // 0: no reply.
  status: number;
  code: string;
  message: string;
  details: Violation[];
  requestId: string | null;
  retryAfterSeconds: number | null;
}

// Of lists and events.
export type Meta = PageMeta & Partial<EventsMeta>;

export type Result<T> =
  | { ok: true; status: number; data: T; meta: Meta; message: string | null; requestId: string | null }
  | { ok: false; error: ApiError };

export type Query = Record<string, string | number | boolean | null | undefined | string[]>;

export interface CallOptions {
  query?: Query;
  body?: unknown;
  // Sent instead of a JSON body.
  file?: ArrayBuffer;
  signal?: AbortSignal;
  // Equal for repeats of one act, so that it happens once. Generated unless given.
  idempotencyKey?: string;
  // Milliseconds of retries while the server is unavailable. Reads retry until aborted.
  patience?: number;
  // For the account instead of the project: sign-ins and credentials.
  ofAccount?: boolean;
  // The environment of the request; production sees both.
  environment?: Environment;
  // By default the project that is shown.
  projectId?: string | null;
  // Returns errors without asking the user to sign in or confirm.
  plain?: boolean;
}

// Whether the server is unreachable; shown in the page's line.
export const away = createStore(false);

// Set by the dialogs: resolve to true once the user has signed in or confirmed, false if they cancel.
export const gates: { signIn: () => Promise<boolean>; confirm: () => Promise<boolean> } = {
  signIn: async () => false,
  confirm: async () => false,
};

export function randomId(prefix = ""): string {
  const bytes = crypto.getRandomValues(new Uint8Array(15));
  return prefix + Array.from(bytes, (byte) => (byte % 36).toString(36) + ((byte >> 3) % 32).toString(36)).join("");
}

export function pathWith(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export function apiHeaders(options: Pick<CallOptions, "ofAccount" | "environment" | "projectId"> = {}): Record<string, string> {
  const { ofAccount, environment = session.get().environment, projectId = session.get().projectId } = options;
  const headers: Record<string, string> = { Accept: "application/json", "X-Request-Id": randomId("req_") };
  if (!ofAccount && projectId) {
    headers["Pixledger-Project"] = projectId;
    headers["Pixledger-Environment"] = environment;
  }
  return headers;
}

const failure = (status: number, code: string, message: string): ApiError => ({
  status,
  code,
  message,
  details: [],
  requestId: null,
  retryAfterSeconds: null,
});

export async function errorOf(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => null);
  const after = Number(response.headers.get("Retry-After"));
  return {
    status: response.status,
    code: typeof body?.code === "string" ? body.code : `HTTP_${response.status}`,
    message: typeof body?.message === "string" ? body.message : response.statusText,
    details: Array.isArray(body?.details) ? body.details : [],
    requestId: body?.requestId ?? response.headers.get("X-Request-Id"),
    retryAfterSeconds: after > 0 ? after : null,
  };
}

async function once<T>(method: string, path: string, options: CallOptions): Promise<Result<T>> {
  const headers = apiHeaders(options);
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (options.signal) init.signal = options.signal;
  if (options.file) {
    headers["Content-Type"] = "application/octet-stream";
    init.body = options.file;
  } else if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(options.body);
  }
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  let response: Response;
  try {
    response = await fetch(pathWith(path, options.query), init);
  } catch {
    return { ok: false, error: failure(0, options.signal?.aborted ? "ABORTED" : "AWAY", "no answer") };
  }
  if (!response.ok) return { ok: false, error: await errorOf(response) };
  const body = response.status === 204 ? { data: null } : await readShown(response).catch(() => undefined);
  if (body === undefined) return { ok: false, error: failure(0, options.signal?.aborted ? "ABORTED" : "AWAY", "cut off") };
  return {
    ok: true,
    status: response.status,
    data: body.data,
    meta: body.meta,
    message: body.message ?? null,
    requestId: response.headers.get("X-Request-Id"),
  };
}

export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, signal?.aborted ? 0 : ms);
    signal?.addEventListener("abort", over);
  });

// From half a second, doubling up to eight, with a random part to spread many pages' retries.
export const pause = (attempt: number, signal?: AbortSignal): Promise<void> =>
  wait(Math.min(8000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2), signal);

// A restarting server gives no reply, or a proxy replies for it.
export const isAway = ({ status, code }: ApiError): boolean => code === "AWAY" || [502, 503, 504].includes(status);

// Whether the act may have happened: a repeat must then use the same key.
export const mayHaveHappened = (error: ApiError): boolean => isAway(error) || error.code === "ERR_IDEMPOTENCY_002";

async function persistently<T>(method: string, path: string, options: CallOptions): Promise<Result<T>> {
  const until = Date.now() + (options.patience ?? (method === "GET" ? Infinity : 20_000));
  for (let attempt = 0; ; attempt++) {
    const result = await once<T>(method, path, options);
    const unavailable = !result.ok && isAway(result.error);
    if (result.ok || result.error.code !== "ABORTED") away.set(unavailable);
    if (!unavailable || options.signal?.aborted || Date.now() >= until) return result;
    await pause(attempt, options.signal);
    if (options.signal?.aborted) return { ok: false, error: failure(0, "ABORTED", "no longer wanted") };
  }
}

// Calls the API; errors are values. If a sign-in or a confirmation is needed, asks the user and retries, in the project
// and environment of the first attempt.
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Result<T>> {
  const { projectId, environment } = session.get();
  options = { ...options, projectId: options.projectId ?? projectId, environment: options.environment ?? environment };
  if (method !== "GET" && !options.ofAccount) options = { ...options, idempotencyKey: options.idempotencyKey ?? randomId() };
  for (;;) {
    const asked = session.get().signIn?.signInId;
    const result = await persistently<T>(method, path, options);
    if (result.ok || options.plain) return result;
    const { status, code } = result.error;
    if (status === 401 && code === "ERR_AUTH_011") {
      // The 401 is for the previous sign-in.
      if (session.get().state === "in" && session.get().signIn?.signInId !== asked) continue;
      sessionEnded();
      if (!(await gates.signIn())) return result;
    } else if (code === "ERR_AUTH_013") {
      // Refused before its key was recorded, so the repeat is the same act.
      if (!(await gates.confirm())) return result;
    } else return result;
  }
}

export const api = {
  get: <T>(path: string, query?: Query, options: CallOptions = {}) => call<T>("GET", path, { ...options, query }),
  post: <T>(path: string, body?: unknown, options: CallOptions = {}) => call<T>("POST", path, { ...options, body: body ?? {} }),
  patch: <T>(path: string, body: unknown, options: CallOptions = {}) => call<T>("PATCH", path, { ...options, body }),
  remove: <T>(path: string, options: CallOptions = {}) => call<T>("DELETE", path, options),
};
