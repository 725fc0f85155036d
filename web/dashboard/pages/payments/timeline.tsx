import { useEffect, useState } from "preact/hooks";
import type { ApiKey, Member, TransactionHistoryEvent } from "../../api_types";
import { type ApiError, api } from "../../app/api";
import { formatMoney } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { can, useSession } from "../../app/session";
import { Loading, Problem } from "../../components/states";
import { When } from "../../components/text";

const pageItems = 100;
const pagesMax = 10;

async function readAll(id: string, signal: AbortSignal): Promise<{ events: TransactionHistoryEvent[]; error: ApiError | null }> {
  const events: TransactionHistoryEvent[] = [];
  let after: string | null | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const result = await api.get<TransactionHistoryEvent[]>(`/api/v1/transactions/${id}/events`, { limit: pageItems, after }, { signal });
    if (!result.ok) return { events, error: result.error };
    events.push(...result.data);
    after = result.meta?.next;
    if (result.data.length < pageItems || !after) break;
  }
  return { events, error: null };
}

const tones: Record<string, string> = {
  "transaction.paid": "good",
  "transaction.failed": "bad",
  "transaction.expired": "bad",
  "refund.failed": "bad",
  "payment.return_failed": "bad",
  "payment.unapplied": "warn",
  "payment.reversed": "warn",
};

const refundEvents: string[] = ["transaction.refunded", "transaction.partially_refunded"];

// Names by actor, for owners: only they may list members and keys.
function useNames(events: TransactionHistoryEvent[] | null): Map<string, string> {
  const asks = (kind: string) => can("manage") && (events?.some(({ actor }) => actor?.startsWith(kind)) ?? false);
  const [people, programs] = [asks("user-"), asks("key-")];
  const members = useGet<Member[]>(people ? "/api/v1/members" : null);
  const keys = useGet<ApiKey[]>(programs ? "/api/v1/keys" : null, { limit: 100 }, { environment: "live" });
  const names = new Map<string, string>();
  for (const { userId, email } of members.data ?? []) if (email) names.set(`user-${userId}`, email);
  for (const { id, name } of keys.data ?? []) if (name) names.set(`key-${id}`, name);
  return names;
}

// A readable form of "user-ID" and other actors.
function actorText(actor: string | null | undefined, userId: string | undefined, names: Map<string, string>): string {
  if (!actor) return "—";
  const at = actor.indexOf("-");
  const [kind, id] = [actor.slice(0, at), actor.slice(at + 1)];
  if (kind === "user" && id === userId) return t("byYou");
  const name = names.get(actor);
  if (name) return kind === "key" ? t("byKey", { id: `“${name}”` }) : name;
  if (kind === "key") return t("byKey", { id: `…${id.slice(-6)}` });
  if (kind === "user") return t("byMember");
  // The operator's system user, except where it says no name.
  if (kind === "operator") return id === "root" ? t("byOperator") : `${t("byOperator")} (${id})`;
  if (kind === "payer") return t("byPayer");
  if (kind === "worker") return t("byWorker");
  return actor;
}

function particulars({ data }: TransactionHistoryEvent): string {
  return [
    "amountCents" in data && formatMoney(data.amountCents),
    "flag" in data && tOr(`flag_${data.flag}`, data.flag),
    "endToEndId" in data && data.endToEndId,
    "reason" in data && data.reason !== null && `“${data.reason}”`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export interface TimelineProps {
  id: string;
  // Another number reloads the events.
  turn: number;
  // No bank moves the charge's refunds; they are only recorded.
  recordsRefunds: boolean;
  // The path to an earlier state.
  asOfPath(eventId: string): string;
}

// A charge's events and their actors, newest first.
export function Timeline({ id, turn, recordsRefunds, asOfPath }: TimelineProps) {
  const userId = useSession().signIn?.user.id;
  const [state, setState] = useState<{ events: TransactionHistoryEvent[] | null; error: ApiError | null }>({ events: null, error: null });
  const [again, setAgain] = useState(0);
  const names = useNames(state.events);
  useEffect(() => {
    const leaving = new AbortController();
    void readAll(id, leaving.signal).then(({ events, error }) => {
      if (!leaving.signal.aborted) setState((last) => ({ events: error ? last.events : events, error }));
    });
    return () => leaving.abort();
  }, [id, turn, again]);
  if (!state.events) return state.error ? <Problem error={state.error} retry={() => setAgain(again + 1)} /> : <Loading />;
  return (
    <>
      {state.error && <Problem error={state.error} retry={() => setAgain(again + 1)} />}
      <ol class="timeline" reversed>
        {[...state.events].reverse().map((event, index) => (
          <li key={event.id} class={tones[event.event]}>
            <p class="strong">{recordsRefunds && refundEvents.includes(event.event) ? t("refundRecordedEvent") : tOr(`event_${event.event}`, event.event)}</p>
            {particulars(event) && <p>{particulars(event)}</p>}
            <p class="meta">
              <When at={event.occurredAt} style="full" />
              <span>{actorText(event.actor, userId, names)}</span>
              {index > 0 && <a href={asOfPath(event.id)}>{t("seeAsOf")}</a>}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
