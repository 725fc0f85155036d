import { useEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../api_types";
import { api, apiHeaders, errorOf, isAway, pathWith, pause, wait } from "./api";
import { type Environment, useSession } from "./session";

export type LiveState = "connecting" | "live" | "polling" | "away";

export interface FollowOptions {
  types?: string[];
  // Behind which event to begin; "now" unless given.
  after?: string;
  signal: AbortSignal;
  // The oldest first. What comes at once is given at once; of thousands in a second, a group ten times in it.
  onEvents(events: Event[]): void;
  onState?(state: LiveState): void;
  // Behind which event it goes on, whenever that is known: what was read and not yet given is not behind it.
  onPlace?(after: string): void;
}

interface Item {
  id: string;
  data: string;
}

// The parts of a stream of server-sent events that this API uses, as many as come at once: none says that the stream
// lives. EventSource cannot send the project's header.
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

// Lets the browser draw and hear its user between two pieces of a stream that never pauses. Timers would wait in a page
// that is not looked at, and fall behind.
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

// Gives what is added: the first at once, what comes soon after it as a group.
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
      // A page that is not looked at has its timers a minute late.
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
  // null: not refused, but cut off, or away.
  refused: { retryAfterMs: number } | null;
}

const answerMs = 10_000; // for an answer to begin
const silentMs = 40_000; // a comment comes every 15 seconds

// Reads the stream until it ends; says whether it gave anything, and where it came to.
async function stream(after: string, options: FollowOptions, cutAfter: (ms: number) => AbortSignal): Promise<Streamed> {
  const headers = { ...apiHeaders(), Accept: "text/event-stream" };
  let heard = false;
  const groups = inGroups((items) => {
    // Who has left is told nothing more.
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
    // Cut off, or silent for too long.
  }
  groups.end();
  return { after, heard, refused: null };
}

// One long poll, where streams do not come through.
async function poll(after: string, options: FollowOptions): Promise<string> {
  options.onState?.("polling");
  const result = await api.get<Event[]>("/api/v1/events", { after, types: options.types?.join(","), wait: 25 }, { signal: options.signal });
  if (!result.ok) return after;
  if (result.data.length) options.onEvents(result.data);
  return result.meta.next ?? after;
}

// Where "now" is, so that what happens before a stream's first event is not lost with the stream.
async function placeOfNow(signal: AbortSignal): Promise<string> {
  const result = await api.get<Event[]>("/api/v1/events", { after: "now", limit: 1 }, { signal });
  return (result.ok && result.meta.next) || "now";
}

const refusalsMax = 3; // in a row, before long polls are tried: a refusal may be of a moment, as that of a rate

// Tells of the project's events as they happen, without a gap, until `signal`: by a stream, begun again where it was cut
// off, also after a sleep of the machine; by long polls where streams are refused.
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

// A user in production is told of both environments. What is of neither, as the store, is of both.
const isOf = (environment: Environment, event: Event): boolean => event.environment === null || event.environment === environment;

// The same for a component, of the environment that is shown; `active` false follows nothing.
export function useLive(onEvents: (events: Event[]) => void, options: { types?: string[]; active?: boolean; after?: string } = {}): LiveState {
  const { projectId, environment, state: signedIn } = useSession();
  const [state, setState] = useState<LiveState>("connecting");
  const latest = useRef(onEvents);
  latest.current = onEvents;
  const types = options.types?.join(",");
  const active = options.active !== false && signedIn === "in";
  // What came while nothing was followed, as until somebody signs in again, comes then.
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
