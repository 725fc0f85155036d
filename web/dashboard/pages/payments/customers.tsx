import type { Customer } from "../../api_types";
import { formatDay } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace, withQuery } from "../../app/router";
import { can, useSession } from "../../app/session";
import { type FilterFields, FilterForm } from "../../components/filters";
import { TextField, type TextFieldProps } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Pagination } from "../../components/table";
import { CustomerTable } from "./customer_table";

const field = ({ values, set }: FilterFields, name: string, label: string, more: Partial<TextFieldProps> = {}) => (
  <TextField label={label} name={name} value={values[name] ?? ""} onInput={(each) => set(name, each)} {...more} />
);
const days = (fields: FilterFields) => (
  <>
    {field(fields, "dateFrom", t("createdFrom"), { type: "date" })}
    {field(fields, "dateTo", t("createdTo"), { type: "date" })}
  </>
);

export function CustomersPage() {
  const { query } = usePlace();
  const { environment } = useSession();
  const list = useGet<Customer[]>("/api/v1/customers", {
    environment,
    limit: query.get("limit") ?? 20,
    page: query.get("page"),
    search: query.get("search"),
    document: query.get("document"),
    email: query.get("email"),
    isBlocked: query.get("isBlocked"),
    dateFrom: query.get("dateFrom"),
    dateTo: query.get("dateTo"),
  });
  const blocked = query.get("isBlocked");
  const choices = [
    [null, t("allCustomers")],
    ["true", t("onlyBlocked")],
    ["false", t("onlyFree")],
  ] as const;
  return (
    <Page title={t("customers")}>
      <ul class="choices plain-list" aria-label={t("status")}>
        {choices.map(([value, text]) => (
          <li key={text}>
            <a class="chip" href={withQuery({ isBlocked: value })} aria-current={blocked === value ? "true" : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
      <Section title={t("customers")} quiet>
        <FilterForm
          filters={[
            { name: "search", label: t("search") },
            { name: "document", label: t("document") },
            { name: "email", label: t("email") },
            { name: "dateFrom", label: t("createdFrom"), shown: formatDay },
            { name: "dateTo", label: t("createdTo"), shown: formatDay },
          ]}
          first={(fields) => (
            <>
              {can("personal") && field(fields, "search", t("search"), { hint: t("customersSearch"), type: "search", maxLength: 200 })}
              {!can("personal") && days(fields)}
            </>
          )}
          more={
            can("personal")
              ? (fields) => (
                  <>
                    {field(fields, "document", t("document"))}
                    {field(fields, "email", t("email"), { type: "email" })}
                    {days(fields)}
                  </>
                )
              : undefined
          }
        />
        <Loaded of={list} lines={8}>
          {(rows) => (
            <>
              {rows.length ? <CustomerTable rows={rows} busy={list.loading} /> : <Empty title={t("customersNone")}>{t("customersNoneWhy")}</Empty>}
              {list.meta && <Pagination meta={list.meta} busy={list.loading} />}
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
