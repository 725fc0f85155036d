import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { shown } from "../app/hidden";
import { t } from "../app/i18n";
import { place } from "../app/router";
import { Icon } from "./icon";

let shownPath = "";

export interface PageProps {
  title: string;
  // The parent page, linked above the heading.
  above?: { href: string; title: string };
  aside?: ComponentChildren;
  actions?: ComponentChildren;
  lead?: ComponentChildren;
  children: ComponentChildren;
}

// A page. Its heading gets the focus on navigation, so that screen readers read it, and the document its title.
export function Page({ title, above, aside, actions, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${shown(title)} · pixledger`;
  }, [title]);
  useEffect(() => {
    const { path } = place.get();
    // On the first page the focus stays with the browser, so that the skip link comes first.
    if (shownPath && shownPath !== path && !document.querySelector("dialog[open]")) heading.current?.focus({ preventScroll: true });
    shownPath = path;
  }, []);
  return (
    <>
      <header class="page-head">
        {above && (
          <a class="above" href={above.href}>
            <Icon name="back" />
            {above.title}
          </a>
        )}
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
          {actions && <div class="actions">{actions}</div>}
        </div>
        {lead && <p class="lead">{lead}</p>}
      </header>
      {children}
    </>
  );
}

// If the focused element disappears, moves the focus to the heading: for removed rows, missing pages and loading pages.
export function useKeptFocus(): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    const came = (event: FocusEvent) => (last = event.target);
    const clicked = () => (last = null); // clicked elsewhere on purpose; the element that gets the focus sets it next
    const observer = new MutationObserver(() => {
      if (!(last instanceof HTMLElement) || last.isConnected || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
      last = null;
      document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", came);
    document.addEventListener("pointerdown", clicked);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", came);
      document.removeEventListener("pointerdown", clicked);
      observer.disconnect();
    };
  }, []);
}

export function Section({ title, actions, children, quiet }: { title: string; actions?: ComponentChildren; children: ComponentChildren; quiet?: boolean }) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class={quiet ? "said" : "card-head"}>
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export const SkipLink = () => (
  <a class="skip" href="#main">
    {t("skip")}
  </a>
);
