import { useEffect } from "preact/hooks";
import { Boundary } from "../components/boundary";
import { ConfirmAgain } from "../components/confirm_again";
import { Frame } from "../components/frame";
import { Page } from "../components/page";
import { Empty, Loading } from "../components/states";
import { Toasts } from "../components/toast";
import { Invitation } from "../pages/account/invitation";
import { SignInAgain } from "../pages/account/sign_in_again";
import { SignInPage } from "../pages/account/sign_in";
import type { Store } from "../api_types";
import { api } from "./api";
import { language, t } from "./i18n";
import { navigate, usePlace } from "./router";
import { routeOf } from "./routes";
import { session, setStoreSettings, useSession } from "./session";
import { useStore } from "./store";

function useStoreSettings(): void {
  const { state, projectId, store, signIn } = useSession();
  const wanted = state === "in" && projectId !== null && !store && !signIn?.mustSetCredential;
  useEffect(() => {
    if (!wanted) return;
    const leaving = new AbortController();
    void api.get<Store>("/api/v1/store", undefined, { signal: leaving.signal }).then((result) => {
      if (result.ok && session.get().projectId === projectId) setStoreSettings(result.data);
    });
    return () => leaving.abort();
  }, [wanted, projectId]);
}

const NotFound = () => (
  <Page title={t("notFound")}>
    <Empty title={t("notFoundWhy")}>
      <a class="button plain" href="/">
        {t("overview")}
      </a>
    </Empty>
  </Page>
);

const NoProject = () => (
  <Page title={t("noProject")}>
    <Empty title={t("noProjectWhy")} />
  </Page>
);

function Routed() {
  const { path } = usePlace();
  const { projectId, environment } = useSession();
  const found = routeOf(path);
  if (!found) return <NotFound />;
  if (projectId === null && path !== "/seguranca") return <NoProject />;
  const PageOf = found.route.page;
  // Another project or charge is another page; another filter is not.
  return (
    <Boundary key={`${projectId} ${environment} ${path}`}>
      <PageOf parameters={found.parameters} />
    </Boundary>
  );
}

// The path to return to after signing in: within this application, never another host. Parsed by the browser's rules,
// which drop tabs and line breaks and take two slashes for a host.
export function wayBack(query: URLSearchParams): string {
  try {
    const { origin, pathname, search } = new URL(query.get("volta") ?? "/", location.href);
    return origin === location.origin && /^\/(?!\/)/.test(pathname) ? pathname + search : "/";
  } catch {
    return "/";
  }
}

function Shown() {
  const { path, query, hash } = usePlace();
  const { state, signIn } = useSession();
  useStoreSettings();
  const invitation = /^#\/convite\/([A-Za-z0-9_-]{1,200})$/.exec(hash)?.[1];
  const inside = state === "in" || state === "ended";
  const atDoor = path === "/entrar";
  useEffect(() => {
    if (invitation || state === "unknown") return;
    if (!inside && !atDoor) navigate(`/entrar?volta=${encodeURIComponent(path + location.search)}`, { replace: true });
    if (inside && atDoor && !signIn?.mustSetCredential) navigate(wayBack(query), { replace: true });
  }, [invitation, state, atDoor, signIn?.mustSetCredential]);
  if (invitation || (inside && signIn?.mustSetCredential)) return <Invitation token={invitation ?? null} />;
  if (state === "unknown") return <Loading />;
  if (!inside) return <SignInPage />;
  return (
    <Frame>
      <Routed />
    </Frame>
  );
}

export function App() {
  useStore(language);
  return (
    <>
      <Shown />
      <SignInAgain />
      <ConfirmAgain />
      <Toasts />
    </>
  );
}
