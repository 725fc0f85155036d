import { useEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../api_types";
import { api, apiHeaders, errorOf, isAway, pathWith, pause, wait } from "./api";
import { type Environment, useSession } from "./session";

export type LiveState = "connecting" | "live" | "polling" | "away";

export interface FollowOptions {
  types?: string[];
  // The event to start after; by default "now".
  after?: string;
  signal: AbortSignal;
  // Oldest first. Called at once for single events; ten times a second in groups for thousands.
  onEvents(events: Event[]): void;
  onState?(state: LiveState): void;
  // The event to continue after; does not count events that were read but not yet delivered.
  onPlace?(after: string): void;
}

interface Item {
  id: string;
  data: string;
}

// Parses a stream of server-sent events, as far as this API uses them, in batches as they arrive; an empty batch is a
// sign of life. EventSource cannot send the project's header.
async function* itemsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Item[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop()!;
      const items: Item[] = [];
      for (const block of blocks) {
        let id = "";
        let data = "";
        for (const line of block.split(/\r?\n/)) {
          if (line.startsWith("id:")) id = line.slice(3).trim();
          if (line.startsWith("data:")) data += line.slice(5).trim();
        }
        if (data) items.push({ id, data });
      }
      yield items;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

// Lets the browser draw and handle input between parts of a busy stream. Timers are throttled in hidden pages and would
// fall behind.
const turnOfOthers = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

const groupMs = 100;

// Delivers the first item at once and later ones in groups.
function inGroups(give: (items: Item[]) => void): { add(items: Item[]): void; end(): void } {
  let waiting: Item[] = [];
  let gaveAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const all = waiting;
    waiting = [];
    gaveAt = performance.now();
    timer = setTimeout(flush, groupMs);
    give(all);
  };
  return {
    add(items) {
      for (const each of items) waiting.push(each);
      // Timers of hidden pages run up to a minute late.
      if (timer === undefined || performance.now() - gaveAt >= groupMs) flush();
    },
    end() {
      flush();
      clearTimeout(timer);
    },
  };
}

interface Streamed {
  after: string;
  heard: boolean;
  // null: broken off or unavailable, not refused.
  refused: { retryAfterMs: number } | null;
}

const answerMs = 10_000; // for the reply to begin
const silentMs = 40_000; // a comment comes every 15 seconds

// Reads the stream until it ends; returns whether anything arrived, and the last position.
async function stream(after: string, options: FollowOptions, cutAfter: (ms: number) => AbortSignal): Promise<Streamed> {
  const headers = { ...apiHeaders(), Accept: "text/event-stream" };
  let heard = false;
  const groups = inGroups((items) => {
    // Nothing is delivered after an abort.
    if (options.signal.aborted) return;
    options.onEvents(items.map(({ data }) => JSON.parse(data) as Event));
    options.onPlace?.(items.at(-1)!.id);
  });
  try {
    const path = pathWith("/api/v1/events", { after, types: options.types?.join(",") });
    const response = await fetch(path, { headers, signal: cutAfter(answerMs), credentials: "same-origin" });
    if (!response.ok || !response.body) {
      const error = await errorOf(response);
      const resume = error.details.find(({ resumeAfter }) => resumeAfter)?.resumeAfter;
      const refused = isAway(error) || resume ? null : { retryAfterMs: (error.retryAfterSeconds ?? 0) * 1000 };
      return { after: resume ?? after, heard, refused };
    }
    cutAfter(silentMs);
    options.onState?.("live");
    heard = true;
    for await (const items of itemsOf(response.body)) {
      cutAfter(silentMs);
      after = items.at(-1)?.id ?? after;
      groups.add(items);
      await turnOfOthers();
    }
  } catch {
    // Broken off, or silent for too long.
  }
  groups.end();
  return { after, heard, refused: null };
}

// One long poll, for networks that block streams.
async function poll(after: string, options: FollowOptions): Promise<string> {
  options.onState?.("polling");
  const result = await api.get<Event[]>("/api/v1/events", { after, types: options.types?.join(","), wait: 25 }, { signal: options.signal });
  if (!result.ok) return after;
  if (result.data.length) options.onEvents(result.data);
  return result.meta.next ?? after;
}

// The position of "now", so that events before the stream's first one are not lost if it breaks.
async function placeOfNow(signal: AbortSignal): Promise<string> {
  const result = await api.get<Event[]>("/api/v1/events", { after: "now", limit: 1 }, { signal });
  return (result.ok && result.meta.next) || "now";
}

const refusalsMax = 3; // in a row, before long polling; a refusal may be temporary, as of a rate limit

// Delivers the project's events without gaps until `signal`: by a stream, reopened after breaks and sleep of the
// machine, or by long polls if streams are refused.
export async function follow(options: FollowOptions): Promise<void> {
  let after = options.after ?? (await placeOfNow(options.signal));
  let refusals = 0;
  for (let attempt = 0; !options.signal.aborted; attempt++) {
    options.onPlace?.(after);
    const cut = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => cut.abort();
    options.signal.addEventListener("abort", end, { once: true });
    const cutAfter = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
      return cut.signal;
    };
    const { heard, refused, ...came } = await stream(after, options, cutAfter);
    clearTimeout(timer);
    options.signal.removeEventListener("abort", end);
    after = came.after;
    if (options.signal.aborted) return;
    if (heard) attempt = 0;
    refusals = refused ? refusals + 1 : 0;
    if (refusals >= refusalsMax && refusals % 5 !== 0) after = await poll(after, options);
    else options.onState?.("away");
    if (refused?.retryAfterMs) await wait(refused.retryAfterMs, options.signal);
    else await pause(Math.min(attempt, 4), options.signal);
  }
}

// A user in production gets events of both environments. Events of neither, such as the store's, belong to both.
const isOf = (environment: Environment, event: Event): boolean => event.environment === null || event.environment === environment;

// The same for a component, for the shown environment; with `active` false it follows nothing.
export function useLive(onEvents: (events: Event[]) => void, options: { types?: string[]; active?: boolean; after?: string } = {}): LiveState {
  const { projectId, environment, state: signedIn } = useSession();
  const [state, setState] = useState<LiveState>("connecting");
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const types = options.types?.join(",");
  const active = options.active !== false && signedIn === "in";
  // Events missed while not following, for example until the user signs in again, are delivered then.
  const place = useRef<{ of: string; after?: string }>({ of: "" });
  useEffect(() => {
    if (!active) return;
    const leaving = new AbortController();
    setState("connecting");
    const of = `${projectId} ${environment} ${types}`;
    if (place.current.of !== of) place.current = { of, after: options.after };
    const followed = place.current;
    void follow({
      types: types ? types.split(",") : undefined,
      after: followed.after,
      signal: leaving.signal,
      onEvents: (events) => {
        const own = events.filter((event) => isOf(environment, event));
        if (own.length > 0) latest.current(own);
      },
      onState: (next) => !leaving.signal.aborted && setState(next),
      onPlace: (after) => (followed.after = after === "now" ? followed.after : after),
    });
    return () => leaving.abort();
  }, [active, types, projectId, environment]);
  return state;
}
