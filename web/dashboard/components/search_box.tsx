import { useEffect, useId, useRef, useState } from "preact/hooks";
import { formatDocument, formatMoney } from "../app/format";
import { t, tn } from "../app/i18n";
import { navigate, usePlace } from "../app/router";
import { type Finds, useSearch } from "../app/search";
import { can, useSession } from "../app/session";
import { Icon } from "./icon";
import { Status } from "./text";
import { announce } from "./toast";

const delayMs = 250;
const shortest = 2;
const rowsMax = 6;

const isTyping = (target: EventTarget | null) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

// "/" and Ctrl-K, wherever nothing else is typed into.
function useShortcut(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const asks = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!asks && (event.key !== "/" || isTyping(event.target))) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

// Searches while one types. The arrow keys choose a result; Enter opens it, or the page of all results.
export function SearchBox() {
  const { path, query } = usePlace();
  const { environment } = useSession();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const shown = path === "/busca" ? (query.get("q") ?? "") : "";
  const [text, setText] = useState(shown);
  const [asked, setAsked] = useState("");
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  useShortcut(input);
  useEffect(() => {
    setText(shown);
    setOpen(false);
  }, [path, shown]);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(open && text.trim().length >= shortest ? text.trim() : ""), delayMs);
    return () => clearTimeout(timer);
  }, [text, open]);
  const now = useSearch(asked, rowsMax).finds;
  // The last results stay while one types on.
  const last = useRef<Finds | undefined>(undefined);
  if (now) last.current = now;
  const finds = now ?? last.current;
  useEffect(() => setChosen(-1), [asked, environment]);
  const page = `/busca?q=${encodeURIComponent(text.trim())}`;
  const rows = !asked || !finds ? [] : [
    ...finds.charges.slice(0, rowsMax).map((each) => ({ href: `/cobrancas/${each.id}`, name: each.customerName ?? each.product, more: each.externalId === each.id ? each.product : each.externalId,
      figure: formatMoney(each.amountCents), status: each.status })),
    ...finds.customers.slice(0, rowsMax).map((each) => ({ href: `/clientes/${each.id}`, name: each.name ?? each.id, more: each.document ? formatDocument(each.document) : "", figure: t("customer"), status: "" })),
  ];
  const count = rows.length + (finds?.payments.length ?? 0);
  useEffect(() => {
    if (asked && now) announce(tn("results", count));
  }, [asked, now === undefined, count]);
  const go = (href: string) => {
    setOpen(false);
    navigate(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && open) {
      event.preventDefault();
      setOpen(false);
    } else if (step && rows.length) {
      event.preventDefault();
      setChosen((chosen + step + rows.length + (chosen < 0 && step < 0 ? 1 : 0)) % rows.length);
    }
  };
  const isListed = open && rows.length > 0;
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) go(rows[chosen]?.href ?? page);
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        {...({ role: "combobox" } as object)}
        aria-label={t("search")}
        aria-keyshortcuts="/ Control+K"
        aria-autocomplete="list"
        aria-expanded={isListed}
        aria-controls={`${id}-rows`}
        aria-activedescendant={isListed && chosen >= 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        placeholder={t(can("personal") ? "searchHint" : "searchMaskedHint")}
        value={text}
        maxLength={200}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul id={`${id}-rows`} role="listbox" aria-label={t("searchTitle")} class="search-rows" hidden={!isListed}>
        {rows.map(({ href, name, more, figure, status }, index) => (
          <li
            key={href}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => go(href)}
          >
            <span>
              <span class="strong">{name}</span>
              <span class="soft small block">{more}</span>
            </span>
            <span class="number">
              <span class="block">{figure}</span>
              {status && <Status of={status} />}
            </span>
          </li>
        ))}
      </ul>
      {open && asked && now && count === 0 && <p class="search-rows soft">{t("searchNone")}</p>}
    </form>
  );
}
