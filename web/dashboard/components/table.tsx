import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Meta } from "../app/api";
import { formatNumber } from "../app/format";
import { t, tn } from "../app/i18n";
import { usePlace, withQuery } from "../app/router";
import { Icon } from "./icon";
import { announce } from "./toast";

export interface Column<Row> {
  key: string;
  head: string;
  cell(row: Row): ComponentChildren;
  number?: boolean;
  // The heading is for screen readers only.
  silent?: boolean;
  // Its place in a row of two lines, where the table has such rows on narrow pages; without one it is hidden there.
  phone?: "lead" | "figure" | "below" | "marks";
}

export interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey(row: Row): string;
  // While new rows are loading.
  busy?: boolean;
  // A click anywhere in a row follows the row's first link.
  linked?: boolean;
}

// Keeps the keys that open another tab. Not where something else was clicked or text was selected.
function followLink({ currentTarget, target, ctrlKey, metaKey, shiftKey }: MouseEvent): void {
  if ((target as Element).closest("a, button, input, select, summary") || String(getSelection())) return;
  const link = (currentTarget as Element).querySelector("a");
  link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

// Whether a long unbreakable text makes the table too wide. Checked at every render and when the window's width
// changes.
function useFit(table: { current: HTMLTableElement | null }): void {
  const fit = () => {
    const { current } = table;
    current?.classList.remove("tight");
    if (!current?.parentElement) return;
    const { clientWidth } = current.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(current.parentElement);
    current.classList.toggle("tight", current.offsetWidth > Math.ceil(clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)));
  };
  useLayoutEffect(fit);
  useEffect(() => {
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  }, []);
}

// On narrow pages each row is a card with its headings, or has two lines if its columns have places for them. The explicit roles are needed since this layout removes the
// table's roles in some browsers.
export function Table<Row>({ caption, columns, rows, rowKey, busy, linked }: TableProps<Row>) {
  const lines = columns.some(({ phone }) => phone);
  const table = useRef<HTMLTableElement>(null);
  useFit(table);
  return (
    <table ref={table} class={lines ? "table lines" : "table"} role="table" aria-busy={busy ? "true" : undefined}>
      <caption class="said">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.key} scope="col" role="columnheader" class={column.number ? "number" : undefined}>
              {column.silent ? <span class="said">{column.head}</span> : column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row" class={linked ? "linked" : undefined} onClick={linked ? followLink : undefined}>
            {columns.map((column) => (
              <td key={column.key} role="cell" class={[column.number && "number", lines && `phone-${column.phone ?? "none"}`].filter(Boolean).join(" ") || undefined} data-label={column.silent ? undefined : column.head}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// A list's pages, by `page` in the URL.
export function Pagination({ meta, busy }: { meta: Meta; busy?: boolean }) {
  usePlace();
  const { page, totalPages, total } = meta;
  useEffect(() => {
    if (!busy) announce(`${tn("results", total)}. ${t("pageOf", { page, pages: Math.max(1, totalPages) })}`);
  }, [page, total, totalPages, busy]);
  return (
    <nav class="pagination" aria-label={t("pages")}>
      <p class="soft">
        {tn("results", total)}
        {totalPages > 1 && <> · {t("pageOf", { page: formatNumber(page), pages: formatNumber(totalPages) })}</>}
      </p>
      {totalPages > 1 && (
        <ul>
          <PageLink to={page - 1} off={page <= 1}>
            <Icon name="back" />
            {t("previous")}
          </PageLink>
          <PageLink to={page + 1} off={page >= totalPages}>
            {t("next")}
            <Icon name="next" />
          </PageLink>
        </ul>
      )}
    </nav>
  );
}

const PageLink = ({ to, off, children }: { to: number; off: boolean; children: ComponentChildren }) => (
  <li>
    {off ? (
      <span class="button off" aria-disabled="true">
        {children}
      </span>
    ) : (
      <a class="button plain" href={withQuery({ page: to > 1 ? to : null })}>
        {children}
      </a>
    )}
  </li>
);
