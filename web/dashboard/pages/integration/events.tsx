import { useRef, useState } from "preact/hooks";
import type { Event } from "../../api_types";
import { useSparingly } from "../../app/act";
import { t, tOr } from "../../app/i18n";
import { useLive } from "../../app/live";
import { formatMoney, formatNumber } from "../../app/format";
import { navigate, usePlace, withQuery } from "../../app/router";
import { Button } from "../../components/button";
import { SelectField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Badge, type Tone, When } from "../../components/text";
import { announce } from "../../components/toast";

const shownMax = 200; // by group and in all; older events are dropped
const groups = ["transaction", "payment", "customer", "blocklist", "channel", "api_key", "store", "member", "connection", "checkout"] as const;

// Grouped as users think: a refund is about a payment.
const isOf = (group: string, name: string): boolean => name.startsWith(`${group}.`) || (group === "payment" && name.startsWith("refund."));

const stateTones: Record<string, Tone> = { live: "good", polling: "info", connecting: "calm", away: "warn" };
const toneOf = (name: string): Tone => (/paid|settled|accepted|completed/.test(name) ? "good" : /failed|refused|unapplied|blocked|disabled|revoked/.test(name) ? "bad" : "calm");

const nameOf = (name: string): string => tOr(`event_${name}`, name);

const amountOf = ({ data }: Event): number | null => ("amountCents" in data ? data.amountCents : null);

function EventItem({ event }: { event: Event }) {
  const amount = amountOf(event);
  return (
    <li data-event={event.id}>
      <details>
        <summary class="event-line">
          <When at={event.occurredAt} style="full" />
          <Badge tone={toneOf(event.event)}>{nameOf(event.event)}</Badge>
          <code class="soft small">{event.event}</code>
          {amount !== null && <span class="money">{formatMoney(amount)}</span>}
        </summary>
        <pre tabIndex={0} role="group" aria-label={event.event}>
          {JSON.stringify(event.data, null, 2)}
        </pre>
      </details>
      <p class="row small">
        {event.transactionId && <a href={`/cobrancas/${event.transactionId}`}>{t("charge")}</a>}
        {event.customerId && <a href={`/clientes/${event.customerId}`}>{t("evCustomer")}</a>}
      </p>
    </li>
  );
}

// The shown events, and those that wait while the page is paused; newest first.
interface Kept {
  events: Event[];
  waiting: Event[];
}

// Adds new events. Each group keeps its own number, so that a busy group does not displace the others.
function withNew(list: Event[], more: Event[]): Event[] {
  const known = new Set(list.map(({ id }) => id));
  const left = new Map<string, number>();
  return [...more.filter(({ id }) => !known.has(id)).reverse(), ...list].filter(({ event }) => {
    const group = groups.find((each) => isOf(each, event)) ?? "";
    const room = left.get(group) ?? shownMax;
    left.set(group, room - 1);
    return room > 0;
  });
}

const nothing: Kept = { events: [], waiting: [] };

export function EventsPage() {
  const { query } = usePlace();
  const group = query.get("tipo") ?? "";
  const [paused, setPaused] = useState(false);
  const [{ events, waiting }, setKept] = useState<Kept>(nothing);
  // A busy store would make screen readers talk all the time.
  const newest = useRef("");
  const tell = useSparingly(() => announce(nameOf(newest.current)), 5000);
  const state = useLive((more) => {
    const list = paused ? "waiting" : "events";
    setKept((last) => ({ ...last, [list]: withNew(last[list], more) }));
    newest.current = more.at(-1)!.event;
    if (!paused) tell();
  });
  const resume = () => {
    setKept((last) => ({ events: withNew(last.events, [...last.waiting].reverse()), waiting: [] }));
    setPaused(false);
  };
  const shown = (group ? events.filter(({ event }) => isOf(group, event)) : events).slice(0, shownMax);
  return (
    <Page
      title={t("liveEvents")}
      lead={t("evLead")}
      aside={<Badge tone={stateTones[state] ?? "calm"}>{t(`evState_${state}`)}</Badge>}
      actions={
        <>
          <Button onClick={() => (paused ? resume() : setPaused(true))}>{paused ? `${t("evResume")} (${waiting.length})` : t("evPause")}</Button>
          <Button onClick={() => setKept(nothing)}>{t("evClear")}</Button>
        </>
      }
    >
      <Section title={t("liveEvents")} quiet>
        <div class="narrow">
          <SelectField
            name="tipo"
            label={t("evGroup")}
            value={group}
            onInput={(tipo) => navigate(withQuery({ tipo }))}
            choices={[["", t("any")], ...groups.map((each) => [each, t(`evGroup_${each}`)] as const)]}
          />
        </div>
        {shown.length === 0 && (
          <div class="empty">
            <p class="strong">{t("evWaiting")}</p>
            <p>{t("evWaitingWhy")}</p>
          </div>
        )}
        <ol class="event-list" aria-label={t("liveEvents")}>
          {shown.map((event) => (
            <EventItem key={event.id} event={event} />
          ))}
        </ol>
        {shown.length === shownMax && <p class="soft small">{t("evNewest", { n: formatNumber(shownMax) })}</p>}
      </Section>
    </Page>
  );
}
