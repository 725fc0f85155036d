import { useState } from "preact/hooks";
import type { TransactionItemV1 } from "../../api_types";
import type { Query } from "../../app/api";
import { formatDay, formatMoney, moneyText, parseMoney } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace, withQuery } from "../../app/router";
import { can, useSession } from "../../app/session";
import { LinkButton } from "../../components/button";
import { FilterForm, type Filter } from "../../components/filters";
import { TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Pagination } from "../../components/table";
import { ChargeTable } from "./charge_table";

const statuses = ["waiting_payment", "processing", "paid", "expired", "cancelled", "refunded"];
// Filters that are on or off, beside the statuses.
const marks = ["failed", "partlyRefunded", "unapplied"] as const;
const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
const asTyped = (cents = "") => (/^\d+$/.test(cents) ? moneyText(Number(cents)) : cents);
const inCents = (text: string) => (/^\d+$/.test(text) ? formatMoney(Number(text)) : text);

// Under the API's names, so that the URL has the parameters of a call.
const filters = (): Filter[] => [
  { name: "search", label: t("search") },
  { name: "dateFrom", label: t("createdFrom"), shown: (each) => (isDay(each) ? formatDay(each) : each) },
  { name: "dateTo", label: t("createdTo"), shown: (each) => (isDay(each) ? formatDay(each) : each) },
  { name: "amountMin", label: t("amountFrom"), shown: inCents },
  { name: "amountMax", label: t("amountTo"), shown: inCents },
  { name: "customerEmail", label: t("email") },
  { name: "customerId", label: `${t("customer")} (ID)` },
  { name: "externalId", label: t("reference") },
  { name: "transactionCode", label: t("endToEndId") },
  { name: "originDomain", label: t("originDomain") },
  { name: "connectionId", label: t("connectionId") },
];

const metadataOf = (query: URLSearchParams): [string, string][] => [...query].filter(([name]) => /^metadata\[.+\]$/.test(name));

// The API's parameters from the URL's; days are in the store's zone.
function asked(query: URLSearchParams, environment: string): Query {
  const call: Query = { environment, limit: query.get("limit") ?? 20, page: query.get("page"), status: query.get("status") };
  for (const name of [...filters().map((each) => each.name), ...marks]) call[name] = query.get(name);
  for (const [name, value] of metadataOf(query)) call[name] = value;
  return call;
}

function StatusChoice() {
  const { query } = usePlace();
  const chosen = (query.get("status") ?? "").split(",").filter(Boolean);
  const toggled = (status: string) => (chosen.includes(status) ? chosen.filter((each) => each !== status) : [...chosen, status]).join(",");
  const on = (name: string) => query.get(name) === "true";
  const failed = on("failed");
  const all = !chosen.length && !marks.some(on);
  return (
    <ul class="choices plain-list" aria-label={t("status")}>
      <li>
        <a class="chip" href={withQuery({ status: null, failed: null, partlyRefunded: null, unapplied: null })} aria-current={all ? "true" : undefined}>
          {t("all")}
        </a>
      </li>
      {statuses.map((status) => (
        <li key={status}>
          <a class="chip" href={withQuery({ status: toggled(status), failed: null })} aria-current={chosen.includes(status) ? "true" : undefined}>
            {tOr(`status_${status}`, status)}
          </a>
        </li>
      ))}
      <li>
        {/* The API finds failed charges apart from those of a status. */}
        <a class="chip" href={withQuery({ failed: failed ? null : "true", status: null })} aria-current={failed ? "true" : undefined}>
          {t("status_failed")}
        </a>
      </li>
      {(["partlyRefunded", "unapplied"] as const).map((name) => (
        <li key={name}>
          <a class="chip" href={withQuery({ [name]: on(name) ? null : "true" })} aria-current={on(name) ? "true" : undefined}>
            {t(name)}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Filters() {
  const { query } = usePlace();
  const metadata = metadataOf(query);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const shown: Filter[] = [...filters(), ...metadata.map(([name]) => ({ name, label: name }))];
  return (
    <FilterForm
      filters={shown}
      fromQuery={(values) => ({
        ...values,
        amountMin: asTyped(values.amountMin),
        amountMax: asTyped(values.amountMax),
      })}
      toQuery={(values) => {
        const found: Record<string, string> = {};
        const next = { ...values };
        for (const name of ["amountMin", "amountMax"]) {
          if (!next[name]?.trim()) continue;
          const cents = parseMoney(next[name]!);
          if (cents === null) found[name] = t("amountWrong");
          else next[name] = String(cents);
        }
        setWrong(found);
        return Object.keys(found).length ? null : next;
      }}
      first={({ values, set }) => (
        <>
          {can("personal") && (
            <TextField label={t("search")} hint={t("chargesSearch")} type="search" name="search" maxLength={200} value={values.search ?? ""} onInput={(each) => set("search", each)} />
          )}
          <TextField label={t("createdFrom")} type="date" name="dateFrom" value={values.dateFrom ?? ""} onInput={(each) => set("dateFrom", each)} />
          <TextField label={t("createdTo")} type="date" name="dateTo" value={values.dateTo ?? ""} onInput={(each) => set("dateTo", each)} />
        </>
      )}
      more={({ values, set }) => (
        <>
          {(["amountMin", "amountMax"] as const).map((name) => (
            <TextField key={name} label={t(name === "amountMin" ? "amountFrom" : "amountTo")} name={name} prefix="R$" inputMode="decimal" error={wrong[name]} value={values[name] ?? ""} onInput={(each) => set(name, each)} />
          ))}
          {can("personal") && <TextField label={t("email")} name="customerEmail" type="email" value={values.customerEmail ?? ""} onInput={(each) => set("customerEmail", each)} />}
          <TextField label={t("reference")} name="externalId" maxLength={128} value={values.externalId ?? ""} onInput={(each) => set("externalId", each)} />
          <TextField label={t("endToEndId")} name="transactionCode" maxLength={32} value={values.transactionCode ?? ""} onInput={(each) => set("transactionCode", each)} />
          <TextField label={t("originDomain")} name="originDomain" value={values.originDomain ?? ""} onInput={(each) => set("originDomain", each)} />
          <TextField label={t("connectionId")} name="connectionId" value={values.connectionId ?? ""} onInput={(each) => set("connectionId", each)} />
          {can("personal") && <MetadataFields />}
        </>
      )}
    />
  );
}

// Adds a metadata[key]=value to the URL.
function MetadataFields() {
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  const ready = /^[A-Za-z0-9_.-]{1,40}$/.test(key) && value;
  return (
    <>
      <TextField label={t("metadataKey")} name="metadataKey" maxLength={40} value={key} onInput={setKey} />
      <TextField label={t("metadataValue")} name="metadataValue" value={value} onInput={setValue} />
      {ready && (
        <div class="filter-go">
          <LinkButton href={withQuery({ [`metadata[${key}]`]: value })} icon="plus">
            {t("add")}
          </LinkButton>
        </div>
      )}
    </>
  );
}

export function ChargesPage() {
  const { query } = usePlace();
  const { environment } = useSession();
  const list = useGet<TransactionItemV1[]>("/api/v1/transactions", asked(query, environment));
  return (
    <Page
      title={t("charges")}
      actions={
        can("write") && (
          <LinkButton href="/cobrancas/nova" kind="primary" icon="plus">
            {t("newCharge")}
          </LinkButton>
        )
      }
    >
      <StatusChoice />
      <Section title={t("charges")} quiet>
        <Filters />
        <Loaded of={list} lines={8}>
          {(rows) => (
            <>
              {rows.length ? <ChargeTable rows={rows} caption={t("charges")} busy={list.loading} /> : <Empty title={t("chargesNone")}>{t("chargesNoneWhy")}</Empty>}
              {list.meta && <Pagination meta={list.meta} busy={list.loading} />}
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
