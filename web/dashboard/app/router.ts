import { createStore, useStore } from "./store";

export interface Place {
  path: string;
  query: URLSearchParams;
  hash: string;
}

const here = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash,
});

export const place = createStore<Place>(here());
export const usePlace = (): Place => useStore(place);

export function navigate(to: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  const before = place.get().path;
  place.set(here());
  if (place.get().path !== before) window.scrollTo(0, 0);
}

// Links are plain links; the router handles those of this application, so every page also has a URL.
function followed(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.pathname.startsWith("/assets/")) return;
  // Static pages of the server.
  if (/^\/docs\/guide(\/|$)/.test(link.pathname)) return;
  // The browser handles links within the page, such as the skip link.
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}

export function startRouter(): void {
  document.addEventListener("click", followed);
  window.addEventListener("popstate", () => place.set(here()));
  window.addEventListener("hashchange", () => place.set(here()));
}

// The current path with changed query parameters; null or "" removes one. A changed filter leads to the first page.
export function withQuery(changes: Record<string, string | number | null | undefined>): string {
  const { path, query } = place.get();
  const next = new URLSearchParams(query);
  if (!("page" in changes)) next.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") next.delete(name);
    else next.set(name, String(value));
  }
  const text = next.toString();
  return text ? `${path}?${text}` : path;
}

export type Parameters = Record<string, string>;

// The parameters of a pattern such as "/cobrancas/:id" in a path; null if it does not match.
export function match(pattern: string, path: string): Parameters | null {
  const wanted = pattern.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return null;
  const found: Parameters = {};
  for (let i = 0; i < wanted.length; i++) {
    const name = wanted[i]!;
    const value = given[i]!;
    if (name.startsWith(":")) {
      if (!value) return null;
      try {
        found[name.slice(1)] = decodeURIComponent(value);
      } catch {
        return null;
      }
    } else if (name !== value) return null;
  }
  return found;
}
