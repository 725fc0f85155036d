import type { ComponentChildren } from "preact";
import type { Stats, StatsDay, TransactionItemV1 } from "../../api_types";
import { useSparingly } from "../../app/act";
import { addDays, dayOf, formatDay, formatMoney, formatMoneyShort, formatNumber, formatPercent, formatSeconds, zone } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { useLive } from "../../app/live";
import { useGet } from "../../app/resource";
import { usePlace, withQuery } from "../../app/router";
import { can, useSession } from "../../app/session";
import { ticksOfSeconds } from "../../app/ticks";
import { LinkButton } from "../../components/button";
import { Page, Section } from "../../components/page";
import { Plot } from "../../components/plot";
import { Loaded, Loading } from "../../components/states";
import { ChargeTable } from "./charge_table";
import { FirstSteps } from "./first_steps";

const periods = [7, 30, 90];

type Compared = Stats & { previous: Stats | undefined };

const conversionOf = ({ created, converted }: StatsDay) => (created ? converted / created : null);

// `main`: as wide as the page on phones.
function Tile({ name, value, alarm, main, children }: { name: string; value: string; alarm?: boolean; main?: boolean; children?: ComponentChildren }) {
  return (
    <div class={["tile", alarm && "alarm", main && "main"].filter(Boolean).join(" ")}>
      <dt>{name}</dt>
      <dd class={`big money ${value.length > 14 ? "longer" : value.length > 10 ? "long" : ""}`}>{value}</dd>
      {children && <dd class="soft small">{children}</dd>}
    </div>
  );
}

// The state of channels of which none fails.
function webhooksState({ activeChannels, untriedChannels }: Stats["totals"]): string {
  if (activeChannels === 0) return t("webhooksNone");
  if (untriedChannels === activeChannels) return t("webhooksUntried");
  return untriedChannels > 0 ? tn("webhooksSomeUntried", untriedChannels) : t("webhooksFine");
}

// The change since the previous period; none if there was nothing to compare with.
function sincePrevious(now: number, previous: Stats | undefined): string {
  const before = previous?.totals.paidCents ?? 0;
  const change = before && formatNumber(now / before - 1, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
  return change ? ` · ${t("sincePrevious", { change, n: previous!.days.length })}` : "";
}

function Tiles({ totals, previous }: Compared) {
  const { timeToPayP50Seconds: p50, timeToPayP90Seconds: p90, unappliedCount, unmatchedCount, unmatchedCents, failingChannels, activeChannels } = totals;
  return (
    <dl class="tiles">
      <Tile name={t("received")} value={formatMoney(totals.paidCents)} main>
        {tn("receivedHint", totals.paid)}
        {sincePrevious(totals.paidCents, previous)}
      </Tile>
      <Tile name={t("conversion")} value={totals.conversion === null ? "—" : formatPercent(totals.conversion)}>
        {t("conversionHint", { paid: formatNumber(totals.converted), created: formatNumber(totals.created) })}
      </Tile>
      <Tile name={t("timeToPay")} value={p50 === null ? "—" : formatSeconds(p50)}>
        {p90 !== null && t("timeToPayHint", { p90: formatSeconds(p90) })}
      </Tile>
      <Tile name={t("refundedTotal")} value={formatMoney(totals.refundedCents)} />
      <Tile name={t("toSettle")} value={formatMoney(totals.unappliedCents + unmatchedCents)} alarm={unappliedCount + unmatchedCount > 0} main>
        {unappliedCount > 0 && <a class="block" href="/cobrancas?unapplied=true">{tn("toSettleHint", unappliedCount)}</a>}
        {unmatchedCount > 0 && <span class="block">{tn("unmatchedHint", unmatchedCount, { amount: formatMoney(unmatchedCents) })}</span>}
        {unappliedCount + unmatchedCount === 0 && t("nothingToSettle")}
      </Tile>
      <Tile name={t("webhooksFailing")} value={activeChannels + failingChannels === 0 ? "—" : formatNumber(failingChannels)} alarm={failingChannels > 0}>
        {failingChannels > 0 ? <a href="/webhooks">{tn("webhooksFailing", failingChannels)}</a> : webhooksState(totals)}
      </Tile>
    </dl>
  );
}

// The same days of the period before, or undefined if it has other days.
const before = ({ days, previous }: Compared, of: (day: StatsDay) => number | null, name = t("previousPeriod")) =>
  previous?.days.length === days.length ? { name, values: previous.days.map(of) } : undefined;

function Volume(data: Compared) {
  const { days, totals } = data;
  const best = days.reduce<StatsDay | null>((most, each) => (each.paidCents > (most?.paidCents ?? 0) ? each : most), null);
  return (
    <Section title={t("volume")} quiet>
      <Plot
        title={t("volume")}
        kind="bars"
        labels={days.map(({ day }) => formatDay(day))}
        series={[{ name: t("received"), values: days.map(({ paidCents }) => paidCents) }]}
        previous={before(data, ({ paidCents }) => paidCents)}
        today
        format={formatMoney}
        tick={formatMoneyShort}
        summary={best ? t("volumeSummary", { total: formatMoney(totals.paidCents), day: formatDay(best.day), best: formatMoney(best.paidCents) }) : t("volumeNothing")}
      />
    </Section>
  );
}

function Trends(data: Compared) {
  const { days, totals } = data;
  const labels = days.map(({ day }) => formatDay(day));
  const counts = t("paidOfCreated", { paid: formatNumber(totals.paid), created: formatNumber(totals.created) });
  const whole = (value: number) => formatNumber(value);
  return (
    <>
      <div class="columns">
        <Section title={t("chargesPerDay")} quiet>
          <Plot
            title={t("chargesPerDay")}
            kind="lines"
            labels={labels}
            series={[
              { name: t("paidSeries"), values: days.map(({ paid }) => paid) },
              { name: t("createdSeries"), values: days.map(({ created }) => created) },
            ]}
            previous={before(data, ({ paid }) => paid, t("previousPaid"))}
            today
            format={whole}
            tick={(value) => (Number.isInteger(value) ? whole(value) : "")}
            summary={counts}
          />
        </Section>
        <Section title={t("conversionPerDay")} quiet>
          <Plot
            title={t("conversionPerDay")}
            kind="lines"
            labels={labels}
            series={[{ name: t("conversion"), values: days.map(conversionOf) }]}
            previous={before(data, conversionOf)}
            today
            format={formatPercent}
            summary={t("conversionHint", { paid: formatNumber(totals.converted), created: formatNumber(totals.created) })}
          />
        </Section>
      </div>
      <Section title={t("timeToPayPerDay")} quiet>
        <Plot
          title={t("timeToPayPerDay")}
          kind="lines"
          labels={labels}
          series={[
            { name: t("timeToPayHalf"), values: days.map(({ timeToPayP50Seconds }) => timeToPayP50Seconds) },
            { name: t("timeToPayMost"), values: days.map(({ timeToPayP90Seconds }) => timeToPayP90Seconds) },
          ]}
          previous={before(data, ({ timeToPayP50Seconds }) => timeToPayP50Seconds, t("previousTimeToPay"))}
          today
          format={formatSeconds}
          ticks={ticksOfSeconds}
          summary={totals.timeToPayP50Seconds === null ? t("timeToPayNothing") : `${formatSeconds(totals.timeToPayP50Seconds)}; ${t("timeToPayHint", { p90: formatSeconds(totals.timeToPayP90Seconds!) })}`}
        />
      </Section>
    </>
  );
}

function Period({ days }: { days: number }) {
  return (
    <ul class="choices plain-list" aria-label={t("period")}>
      {periods.map((each) => (
        <li key={each}>
          <a class="chip" href={withQuery({ dias: each === 30 ? null : each })} aria-current={each === days ? "true" : undefined}>
            {t("lastDays", { n: each })}
          </a>
        </li>
      ))}
    </ul>
  );
}

const hasMoved = ({ totals }: Stats) => totals.created + totals.paid + totals.refundedCents > 0;
const isEmpty = ({ totals }: Stats) => totals.created + totals.paid + totals.refundedCents + totals.unappliedCount + totals.unmatchedCount + totals.failingChannels === 0;

export function OverviewPage() {
  const { environment } = useSession();
  const asked = Number(usePlace().query.get("dias"));
  const days = periods.includes(asked) ? asked : 30;
  const to = dayOf(new Date());
  // Read as production, which sees the webhooks of both environments.
  const stats = useGet<Stats>("/api/v1/stats", { environment, timezone: zone(), from: addDays(to, 1 - days), to }, { environment: "live" });
  const previous = useGet<Stats>("/api/v1/stats", { environment, timezone: zone(), from: addDays(to, 1 - 2 * days), to: addDays(to, -days) }, { environment: "live" });
  const newest = useGet<TransactionItemV1[]>("/api/v1/transactions", { environment, limit: 5 });
  // A busy store has dozens of payments a second; the page refreshes less often.
  const refresh = useSparingly(() => {
    stats.reload();
    newest.reload();
  }, 2000);
  useLive(refresh, { types: ["transaction.paid", "transaction.created", "payment.unapplied"] });
  return (
    <Page
      title={t("overview")}
      actions={
        can("write") && (
          <LinkButton href="/cobrancas/nova" kind="primary" icon="plus">
            {t("newCharge")}
          </LinkButton>
        )
      }
    >
      <Loaded of={stats} lines={8}>
        {(data) =>
          // What comes later would move what is shown.
          (isEmpty(data) && newest.data === undefined && !newest.error) || (previous.data === undefined && !previous.error) ? (
            <Loading lines={8} />
          ) : isEmpty(data) && newest.data?.length === 0 ? (
            <FirstSteps totals={data.totals} />
          ) : (
            <>
              <Period days={days} />
              <Tiles {...data} previous={previous.data} />
              {hasMoved(data) && <Volume {...data} previous={previous.data} />}
              {newest.data?.length !== 0 && (
                <Section title={t("newest")} actions={<a href="/cobrancas">{t("seeAll")}</a>}>
                  <Loaded of={newest}>{(rows) => <ChargeTable rows={rows} caption={t("newest")} />}</Loaded>
                </Section>
              )}
              {hasMoved(data) && <Trends {...data} previous={previous.data} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
