import type { Customer, Found, TransactionItemV1 } from "../api_types";
import type { ApiError, Query } from "./api";
import { parseMoney } from "./format";
import { useGet } from "./resource";
import { can, useSession } from "./session";

export interface Finds {
  charges: TransactionItemV1[];
  customers: Customer[];
  payments: Found["payments"];
}

export interface Search {
  // Undefined until all replies are there.
  finds: Finds | undefined;
  error: ApiError | null;
  loading: boolean;
  retry(): void;
}

const isEndToEndId = (text: string) => /^e\d{8}[\da-z]{23}$/i.test(text.replace(/[\s-]/g, ""));

// What a text finds in the environment that is shown: texts, ids and documents, and charges of an amount. Without access
// to personal data, and for payments that fit no charge, the search for whole ids is asked, which knows no environments.
export function useSearch(text: string, limit: number): Search {
  const { environment } = useSession();
  const q = text.trim();
  const personal = can("personal");
  const cents = parseMoney(q);
  const within = (more: Query): Query => ({ environment, limit, ...more });
  const byText = useGet<TransactionItemV1[]>(q && personal ? "/api/v1/transactions" : null, within({ search: q }));
  const byAmount = useGet<TransactionItemV1[]>(cents ? "/api/v1/transactions" : null, within({ amountMin: cents, amountMax: cents }));
  const customers = useGet<Customer[]>(q && personal ? "/api/v1/customers" : null, within({ search: q }));
  const whole = useGet<Found>(q && (!personal || isEndToEndId(q)) ? "/api/v1/search" : null, { q });
  const all = [byText, byAmount, customers, whole];
  const loading = all.some((each) => each.loading);
  const here = <T extends { environment: string }>(rows: T[] | undefined) => (rows ?? []).filter((each) => each.environment === environment);
  const charges = new Map<string, TransactionItemV1>();
  for (const each of [...(byText.data ?? []), ...(byAmount.data ?? []), ...here(whole.data?.transactions)]) charges.set(each.id, each);
  return {
    finds: loading
      ? undefined
      : {
          // An order is asked for by its whole number.
          charges: [...charges.values()].sort((a, b) => Number(b.externalId === q) - Number(a.externalId === q)),
          customers: [...(customers.data ?? []), ...(personal ? [] : here(whole.data?.customers))],
          payments: whole.data?.payments ?? [],
        },
    error: all.find((each) => each.error)?.error ?? null,
    loading,
    retry: () => all.forEach((each) => each.error && each.reload()),
  };
}
