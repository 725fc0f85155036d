import type { ChannelStats } from "../../api_types";
import { formatNumber, formatTime, zone } from "../../app/format";
import { language, t } from "../../app/i18n";
import type { Resource } from "../../app/resource";
import { Section } from "../../components/page";
import { Plot } from "../../components/plot";
import { Loaded } from "../../components/states";
import { Table } from "../../components/table";
import { Facts } from "../../components/text";

const milliseconds = (value: number | null) =>
  value === null ? null : formatNumber(value, { style: "unit", unit: "millisecond", unitDisplay: "short", maximumFractionDigits: 0 });

const hourOf = (iso: string): string =>
  new Intl.DateTimeFormat(language.get(), { timeZone: zone(), hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(iso));

function Shown({ stats }: { stats: ChannelStats }) {
  return (
    <>
      <Facts
        of={[
          [t("whDelivered"), formatNumber(stats.delivered)],
          [t("whFailed"), formatNumber(stats.failed)],
          [t("whPending"), formatNumber(stats.pending)],
          [t("whLatency50"), milliseconds(stats.latencyP50Ms)],
          [t("whLatency95"), milliseconds(stats.latencyP95Ms)],
        ]}
      />
      <Plot
        title={t("whByHour")}
        kind="bars"
        unit={t("hour")}
        labels={stats.hours.map(({ hour }) => hourOf(hour))}
        series={[
          { name: t("whDelivered"), values: stats.hours.map(({ delivered }) => delivered) },
          { name: t("whFailed"), values: stats.hours.map(({ failed }) => failed) },
        ]}
        format={(value) => formatNumber(value)}
        tick={(value) => (Number.isInteger(value) ? formatNumber(value) : "")}
        summary={t("whByHourSummary", { delivered: formatNumber(stats.delivered), failed: formatNumber(stats.failed) })}
      />
      {stats.completeSince > stats.hours[0]!.hour && <p class="soft small">{t("whCompleteSince", { when: formatTime(stats.completeSince) })}</p>}
      {stats.errors.length > 0 && (
        <Table
          caption={t("whErrors")}
          rows={stats.errors}
          rowKey={({ error }) => error}
          columns={[
            { key: "error", head: t("whErrors"), cell: ({ error }) => <code>{error}</code> },
            { key: "count", head: t("count"), number: true, cell: ({ count }) => formatNumber(count) },
          ]}
        />
      )}
    </>
  );
}

export const Stats = ({ of }: { of: Resource<ChannelStats> }) => (
  <Section title={t("whStats")}>
    <Loaded of={of}>{(stats) => <Shown stats={stats} />}</Loaded>
  </Section>
);
