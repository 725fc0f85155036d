import { formatTime, formatMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { usePlace } from "../../app/router";
import { useSearch } from "../../app/search";
import { can, useSession } from "../../app/session";
import { Page, Section } from "../../components/page";
import { Empty, Loading, Problem } from "../../components/states";
import { ChargeTable } from "./charge_table";
import { CustomerTable } from "./customer_table";

const limit = 10;

// All that a search finds in the environment that is shown.
export function SearchPage() {
  useSession();
  const q = usePlace().query.get("q")?.trim() ?? "";
  const { finds, error, loading, retry } = useSearch(q, limit);
  const why = t(can("personal") ? "searchNoneWhy" : "searchMaskedWhy");
  return (
    <Page title={t("searchTitle")} lead={q && t("searchFor", { q })}>
      {error && <Problem error={error} retry={retry} />}
      {!q ? (
        <Empty title={why} />
      ) : !finds ? (
        <Loading />
      ) : (
        <>
          {!error && finds.charges.length + finds.customers.length + finds.payments.length === 0 && <Empty title={t("searchNone")}>{why}</Empty>}
          {finds.charges.length > 0 && (
            <Section title={t("charges")}>
              <ChargeTable rows={finds.charges} caption={t("charges")} busy={loading} />
            </Section>
          )}
          {finds.payments.map((payment) => (
            <Section key={payment.endToEndId} title={t("searchPayment")}>
              <p>{t("searchPaymentIs", { amount: formatMoney(payment.amountCents), when: formatTime(payment.paidAt), id: payment.endToEndId })}</p>
            </Section>
          ))}
          {finds.customers.length > 0 && (
            <Section title={t("customers")}>
              <CustomerTable rows={finds.customers} busy={loading} />
            </Section>
          )}
        </>
      )}
    </Page>
  );
}
