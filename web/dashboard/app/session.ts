import type { Environment, Role, SignIn, Store as StoreSettings } from "../api_types";
import { createStore, forget, keep, kept, useStore } from "./store";

// What POST /api/v1/sign-ins and GET /api/v1/sign-ins/current answer; the token stays in the cookie.
export type { Environment, Role, SignIn };
export type Membership = SignIn["projects"][number];

export interface Session {
  // "ended": the page stays as it is below a dialog that asks to sign in again.
  state: "unknown" | "out" | "in" | "ended";
  signIn: SignIn | null;
  projectId: string | null;
  environment: Environment;
  // The project's settings, once they are known; its zone is the one times are told in.
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

// Under which name a form's draft is kept: one's own, of this project and environment.
export const draftName = (form: string): string => {
  const { signIn, projectId, environment } = session.get();
  return `draft.${signIn?.user.id} ${projectId} ${environment} ${form}`;
};
export const forgetDrafts = (): void => forget("session", "draft.");

// What somebody typed is not for who comes after them.
export function signedOut(): void {
  keep("local", "left", String(Date.now()));
  leave();
}
function leave(): void {
  forgetDrafts();
  noLongerIn();
}

// The tabs of a browser have one cookie: who leaves in one has left in all, and who comes in in one is who acts in all.
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

// Without having left: whoever comes back finds their drafts.
export function noLongerIn(): void {
  keep("local", "signedIn", null);
  change({ state: "out", signIn: null, store: null });
}

// Whether there may be a session, whose cookie scripts cannot see: without one the server is not asked for it.
export const mayBeSignedIn = (): boolean => kept("local", "signedIn") !== null;

export function sessionEnded(): void {
  if (session.get().state === "in") change({ state: "ended" });
}
export const setStoreSettings = (store: StoreSettings | null): void => change({ store });

// A tab keeps its own; a new one begins where the last change was.
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

// Those whose things are made and changed here: who is in the sandbox leaves production alone.
export const ownEnvironments = (): Environment[] => (session.get().environment === "sandbox" ? ["sandbox"] : ["live", "sandbox"]);

export const membership = (): Membership | null => {
  const { signIn, projectId } = session.get();
  return signIn?.projects.find(({ id }) => id === projectId) ?? null;
};

// What the role allows, so that nothing is offered that the API would refuse; the API is what refuses.
// "personal": to see personal data as they are, and to look for things by them.
export type Act = "write" | "manage" | "personal";
export function can(act: Act): boolean {
  const role = membership()?.role;
  return role === "owner" || (act !== "manage" && role === "operator");
}
