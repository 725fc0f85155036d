import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, away } from "../app/api";
import { type Language, language, setLanguage, t } from "../app/i18n";
import { navigate, usePlace } from "../app/router";
import { type NavGroup, type Route, routes } from "../app/routes";
import { can, type Environment, membership, setEnvironment, setProject, signedOut, useSession } from "../app/session";
import { useStore } from "../app/store";
import { setTheme, type Theme, theme } from "../app/theme";
import { Button } from "./button";
import { Icon } from "./icon";
import { SkipLink, useKeptFocus } from "./page";
import { SearchBox } from "./search_box";
import { toast } from "./toast";

const groups: NavGroup[] = ["payments", "integration", "settings"];

function isCurrent(route: Route, path: string): boolean {
  return route.path === "/" ? path === "/" : path === route.path || path.startsWith(`${route.path}/`);
}

function Nav({ id }: { id: string }) {
  const { path } = usePlace();
  useSession();
  return (
    <nav id={id} aria-label={t("navigation")} class="nav">
      {groups.map((group) => {
        const links = routes.filter(({ nav, needs }) => nav?.group === group && (!needs || can(needs)));
        return (
          links.length > 0 && (
            <div key={group} class="nav-group">
              <h2 id={`${id}-${group}`}>{t(`nav_${group}`)}</h2>
              <ul aria-labelledby={`${id}-${group}`}>
                {links.map((route) => (
                  <li key={route.path}>
                    <a href={route.path} aria-current={isCurrent(route, path) ? "page" : undefined}>
                      <Icon name={route.nav!.icon} />
                      {t(route.nav!.title)}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
    </nav>
  );
}

function ProjectSwitch() {
  const { signIn, projectId } = useSession();
  const projects = signIn?.projects ?? [];
  if (projects.length < 2) return <p class="project-name">{membership()?.name}</p>;
  return (
    <select
      class="project-switch"
      aria-label={t("project")}
      onChange={(event) => {
        setProject(event.currentTarget.value);
        // The page shows the other project's data.
        navigate("/");
      }}
    >
      {projects.map(({ id, name }) => (
        <option key={id} value={id} selected={id === projectId}>
          {name}
        </option>
      ))}
    </select>
  );
}

export function EnvironmentSwitch() {
  const { environment } = useSession();
  const choices: [Environment, string][] = [
    ["live", t("live")],
    ["sandbox", t("sandbox")],
  ];
  return (
    <div class="switch" role="group" aria-label={t("environment")}>
      {choices.map(([key, text]) => (
        <button
          key={key}
          type="button"
          aria-pressed={environment === key ? "true" : "false"}
          onClick={() => {
            if (environment === key) return;
            setEnvironment(key);
            toast(t(key === "live" ? "nowLive" : "nowSandbox"));
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function Preferences() {
  const chosen = useStore(theme);
  const spoken = useStore(language);
  const themes: [Theme, string][] = [
    ["system", t("themeSystem")],
    ["light", t("themeLight")],
    ["dark", t("themeDark")],
  ];
  return (
    <div class="preferences">
      <label>
        <span>{t("language")}</span>
        <select onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
          <option value="pt-BR" lang="pt-BR" selected={spoken === "pt-BR"}>
            Português
          </option>
          <option value="en" lang="en" selected={spoken === "en"}>
            English
          </option>
        </select>
      </label>
      <label>
        <span>{t("theme")}</span>
        <select onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          {themes.map(([key, text]) => (
            <option key={key} value={key} selected={key === chosen}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

async function signOut(): Promise<void> {
  const result = await api.remove<unknown>("/api/v1/sign-ins/current", { ofAccount: true, plain: true });
  if (!result.ok && result.error.status !== 401) return toast(t("signOutFailed"), "bad");
  signedOut();
  navigate("/entrar");
}

function UserBox() {
  const { signIn } = useSession();
  const role = membership()?.role;
  return (
    <div class="user-box">
      <a href="/seguranca" class="user-link">
        <Icon name="security" />
        <span>
          <span class="strong">{signIn?.user.email}</span>
          <span class="soft small">
            {role && `${t(`role_${role}`)} · `}
            {t("security")}
          </span>
        </span>
      </a>
      <Preferences />
      <Button kind="quiet" icon="out" onClick={() => void signOut()}>
        {t("signOut")}
      </Button>
    </div>
  );
}

// On every sandbox page, in words: not all users can see the colour.
export const SandboxLine = () => (
  <section class="sandbox-line" aria-label={t("environment")}>
    <Icon name="warning" />
    <p>
      <strong>{t("sandbox")}</strong> — {t("sandboxLine")}
    </p>
  </section>
);

export const AwayLine = () =>
  <div role="status">{useStore(away) && <p class="away-line">{t("awayLine")}</p>}</div>;

export function Frame({ children }: { children: ComponentChildren }) {
  const { environment } = useSession();
  const { path } = usePlace();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useKeptFocus();
  // Focus inside would become invisible.
  const close = () => {
    setOpen(false);
    document.querySelector<HTMLElement>("[aria-controls=side]")?.focus();
  };
  return (
    <div class={environment === "sandbox" ? "frame sandbox" : "frame"}>
      <SkipLink />
      <header class="top">
        <a href="/" class="brand" aria-label={`pixledger, ${t("overview")}`}>
          <Logo />
          <span class="brand-name">pixledger</span>
        </a>
        <Button kind="quiet" icon={open ? "close" : "menu"} label={t("menu")} expanded={open} controls="side" onClick={() => setOpen(!open)} />
        <SearchBox />
        <EnvironmentSwitch />
      </header>
      <aside id="side" aria-label={t("menu")} class={open ? "side open" : "side"} onKeyDown={(event) => event.key === "Escape" && open && close()}>
        <ProjectSwitch />
        <Nav id="nav" />
        <UserBox />
      </aside>
      <div class="middle">
        {environment === "sandbox" && <SandboxLine />}
        <AwayLine />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" class="logo-back" />
    <path d="M16 6 26 16 16 26 6 16z" class="logo-line" />
    <path d="M16 12.5 19.5 16 16 19.5 12.5 16z" class="logo-dot" />
  </svg>
);
