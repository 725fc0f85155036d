import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../app/i18n";
import { navigate, usePlace, withQuery } from "../app/router";
import { Button } from "./button";
import { Icon } from "./icon";

export interface Filter {
  name: string;
  label: string;
  // The label of its value in the URL; by default the value itself.
  shown?(value: string): string;
}

export interface FilterFields {
  values: Record<string, string>;
  set(name: string, value: string): void;
}

export interface FilterFormProps {
  filters: Filter[];
  // Always visible; `more` is in `details`.
  first(fields: FilterFields): ComponentChildren;
  more?(fields: FilterFields): ComponentChildren;
  // The fields' values for the URL; null: a field is invalid and shows its error.
  toQuery?(values: Record<string, string>): Record<string, string> | null;
  fromQuery?(query: Record<string, string>): Record<string, string>;
}

// A list's filters, kept in the URL, so that links and the browser's history work.
export function FilterForm({ filters, first, more, toQuery, fromQuery }: FilterFormProps) {
  const { query } = usePlace();
  const given: Record<string, string> = {};
  for (const { name } of filters) given[name] = query.get(name) ?? "";
  const key = JSON.stringify(given);
  const asFields = () => (fromQuery ? fromQuery(given) : given);
  const [values, setValues] = useState(asFields);
  const shown = useRef(given);
  useEffect(() => {
    // Keeps unsent input when the URL changes other filters.
    const before = shown.current;
    shown.current = given;
    const now = asFields();
    setValues((last) => Object.fromEntries(Object.keys({ ...last, ...now }).map((name) => [name, given[name] === before[name] ? (last[name] ?? now[name] ?? "") : (now[name] ?? "")])));
  }, [key]);
  const fields: FilterFields = { values, set: (name, value) => setValues((last) => ({ ...last, [name]: value })) };
  const active = filters.filter(({ name }) => given[name]);
  const submit = (event: Event) => {
    event.preventDefault();
    const next = toQuery ? toQuery(values) : values;
    if (next) navigate(withQuery(Object.fromEntries(filters.map(({ name }) => [name, next[name]?.trim() ?? ""]))));
  };
  const clear = Object.fromEntries(filters.map(({ name }) => [name, null]));
  return (
    <form class="filters" role="search" aria-label={t("filters")} onSubmit={submit}>
      <div class="fields">
        {first(fields)}
        <div class="filter-go">
          <Button type="submit">{t("filter")}</Button>
        </div>
      </div>
      {more && (
        <details>
          <summary>{t("moreFilters")}</summary>
          <div class="fields">{more(fields)}</div>
        </details>
      )}
      {active.length > 0 && (
        <ul class="choices plain-list" aria-label={t("filters")}>
          {active.map(({ name, label, shown: read }) => (
            <li key={name}>
              <a class="chip" href={withQuery({ [name]: null })}>
                <span class="said">{t("removeFilter")} </span>
                {label}: {read ? read(given[name]!) : given[name]}
                <Icon name="close" />
              </a>
            </li>
          ))}
          <li>
            <a class="chip" href={withQuery(clear)}>
              {t("clearFilters")}
            </a>
          </li>
        </ul>
      )}
    </form>
  );
}
