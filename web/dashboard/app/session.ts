import type { Environment, Role, SignIn, Store as StoreSettings } from "../api_types";
import { createStore, forget, keep, kept, useStore } from "./store";

// The reply of POST /api/v1/sign-ins and GET /api/v1/sign-ins/current; the token stays in the cookie.
export type { Environment, Role, SignIn };
export type Membership = SignIn["projects"][number];

export interface Session {
  // "ended": the page stays, below a dialog to sign in again.
  state: "unknown" | "out" | "in" | "ended";
  signIn: SignIn | null;
  projectId: string | null;
  environment: Environment;
  // The project's settings, once loaded; times are shown in its zone.
  store: StoreSettings | null;
}

export const session = createStore<Session>({
  state: "unknown",
  signIn: null,
  projectId: kept("session", "project") ?? kept("local", "project"),
  environment: (kept("session", "environment") ?? kept("local", "environment")) === "sandbox" ? "sandbox" : "live",
  store: null,
});

export const useSession = (): Session => useStore(session);
const change = (part: Partial<Session>) => session.set({ ...session.get(), ...part });

export function signedIn(signIn: SignIn): void {
  const { projectId, store } = session.get();
  const known = signIn.projects.some(({ id }) => id === projectId);
  const next = known ? projectId : (signIn.projects[0]?.id ?? null);
  keep("local", "signedIn", signIn.user.id);
  change({ state: "in", signIn, projectId: next, store: next === projectId ? store : null });
}

// The name of a form's draft: by user, project and environment.
export const draftName = (form: string): string => {
  const { signIn, projectId, environment } = session.get();
  return `draft.${signIn?.user.id} ${projectId} ${environment} ${form}`;
};
export const forgetDrafts = (): void => forget("session", "draft.");

// Deletes drafts, which the next user must not see.
export function signedOut(): void {
  keep("local", "left", String(Date.now()));
  leave();
}
function leave(): void {
  forgetDrafts();
  noLongerIn();
}

// All tabs share one cookie: signing in or out in one tab applies to all.
export function followOtherTabs(): void {
  window.addEventListener("storage", ({ key, newValue }) => {
    const { state, signIn } = session.get();
    if (state !== "in" && state !== "ended") return;
    if (key === "pixledger.left") leave();
    if (key !== "pixledger.signedIn" || !newValue || newValue === signIn?.user.id) return;
    forgetDrafts();
    location.assign("/");
  });
}

// Without signing out: a returning user finds their drafts.
export function noLongerIn(): void {
  keep("local", "signedIn", null);
  change({ state: "out", signIn: null, store: null });
}

// Whether there may be a sign-in; its cookie is invisible to scripts. If not, the server is not asked.
export const mayBeSignedIn = (): boolean => kept("local", "signedIn") !== null;

export function sessionEnded(): void {
  if (session.get().state === "in") change({ state: "ended" });
}
export const setStoreSettings = (store: StoreSettings | null): void => change({ store });

// A tab keeps its project; a new tab starts with the last one chosen.
export function setProject(id: string): void {
  keep("session", "project", id);
  keep("local", "project", id);
  change({ projectId: id, store: null });
}

export function setEnvironment(environment: Environment): void {
  keep("session", "environment", environment);
  keep("local", "environment", environment);
  change({ environment });
}

// The environments whose data may be changed here: the sandbox cannot change production.
export const ownEnvironments = (): Environment[] => (session.get().environment === "sandbox" ? ["sandbox"] : ["live", "sandbox"]);

export const membership = (): Membership | null => {
  const { signIn, projectId } = session.get();
  return signIn?.projects.find(({ id }) => id === projectId) ?? null;
};

// What the role allows. Hides what the API would refuse; only the API enforces it. "personal": to see unmasked personal
// data and search by it.
export type Act = "write" | "manage" | "personal";
export function can(act: Act): boolean {
  const role = membership()?.role;
  return role === "owner" || (act !== "manage" && role === "operator");
}
