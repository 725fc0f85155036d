import { useEffect, useState } from "preact/hooks";
import type { Event } from "../../api_types";
import { type ApiError, api, pathWith } from "../../app/api";
import { formatMoney } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { useSession } from "../../app/session";
import { Loading, Problem } from "../../components/states";
import { When } from "../../components/text";

// An item of the feed, with who caused it.
export type ChargeEvent = Event & { actor?: string | null; requestId?: string | null };

const pageItems = 100;
const pagesMax = 10;

async function readAll(path: string, signal: AbortSignal): Promise<{ events: ChargeEvent[]; error: ApiError | null }> {
  const events: ChargeEvent[] = [];
  let after: string | null | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const result = await api.get<ChargeEvent[]>(pathWith(path, { limit: pageItems, after }), undefined, { signal });
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

// "user-ID" and the like, for people.
export function actorText(actor: string | null | undefined, userId: string | undefined): string {
  if (!actor) return "—";
  const at = actor.indexOf("-");
  const [kind, id] = [actor.slice(0, at), actor.slice(at + 1)];
  if (kind === "user" && id === userId) return t("byYou");
  if (kind === "key") return t("byKey", { id: `…${id.slice(-6)}` });
  if (kind === "user" || kind === "operator") return t("byUser", { id: id.length > 20 ? `…${id.slice(-6)}` : id });
  if (kind === "payer") return t("byPayer");
  if (kind === "worker") return t("byWorker", { id });
  return actor;
}

function particulars({ data }: ChargeEvent): string {
  const { amountCents, reason, endToEndId, flag } = data as Record<string, unknown>;
  return [
    typeof amountCents === "number" && formatMoney(amountCents),
    typeof flag === "string" && tOr(`flag_${flag}`, flag),
    typeof endToEndId === "string" && endToEndId,
    typeof reason === "string" && `“${reason}”`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export interface TimelineProps {
  id: string;
  // Another number asks again.
  turn: number;
  // Where the link to an earlier state leads.
  asOfPath(eventId: string): string;
}

// What happened to a charge and who caused it, the newest first.
export function Timeline({ id, turn, asOfPath }: TimelineProps) {
  const userId = useSession().signIn?.user.id;
  const [state, setState] = useState<{ events: ChargeEvent[] | null; error: ApiError | null }>({ events: null, error: null });
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    void readAll(`/api/v1/transactions/${id}/events`, leaving.signal).then(({ events, error }) => {
      if (!leaving.signal.aborted) setState((last) => ({ events: error ? last.events : events, error }));
    });
    return () => leaving.abort();
  }, [id, turn, again]);
  if (!state.events) return state.error ? <Problem error={state.error} retry={() => setAgain(again + 1)} /> : <Loading />;
  return (
    <ol class="timeline" reversed>
      {[...state.events].reverse().map((event, index) => (
        <li key={event.id} class={tones[event.event]}>
          <p class="strong">{tOr(`event_${event.event}`, event.event)}</p>
          {particulars(event) && <p>{particulars(event)}</p>}
          <p class="meta">
            <When at={event.occurredAt} style="full" />
            <span>{actorText(event.actor, userId)}</span>
            {index > 0 && <a href={asOfPath(event.id)}>{t("seeAsOf")}</a>}
          </p>
        </li>
      ))}
    </ol>
  );
}
