import { formatAgo } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, Id, When } from "../../components/text";

interface Connection {
  id: string;
  alias: string;
  providerId: string;
  providerName: string;
  environment: "live" | "sandbox";
  isDefault: boolean;
  isEnabled: boolean;
  state?: string | null;
  lastPollAt?: string | null;
  certificateEndsAt?: string | null;
  breakerOpen?: boolean | null;
}

const soonMs = 30 * 86_400_000;

function State({ connection }: { connection: Connection }) {
  if (!connection.isEnabled) return <Badge>{t("cnOff")}</Badge>;
  if (connection.breakerOpen) return <Badge tone="bad">{t("cnBreaker")}</Badge>;
  return <Badge tone="good">{connection.state ? tOr(`cnState_${connection.state}`, connection.state) : t("cnOn")}</Badge>;
}

function Certificate({ endsAt }: { endsAt: string }) {
  const left = Date.parse(endsAt) - Date.now();
  if (left > soonMs) return <When at={endsAt} style="day" />;
  return (
    <Badge tone={left < 0 ? "bad" : "warn"}>
      {t(left < 0 ? "cnEnded" : "cnEnds")} {formatAgo(endsAt)}
    </Badge>
  );
}

export function ConnectionsPage() {
  const connections = useGet<Connection[]>("/api/v1/connections");
  return (
    <Page title={t("connections")} lead={t("cnLead")}>
      <Section title={t("connections")} quiet>
        <Loaded of={connections}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title={t("cnNone")} />
            ) : (
              <Table
                caption={t("connections")}
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    key: "alias",
                    head: t("name"),
                    cell: ({ alias, providerName, isDefault }) => (
                      <span>
                        <span class="strong">{alias}</span> {isDefault && <Badge tone="info">{t("cnDefault")}</Badge>}
                        <span class="soft small block">{providerName}</span>
                      </span>
                    ),
                  },
                  { key: "state", head: t("cnState"), cell: (connection) => <State connection={connection} /> },
                  { key: "environment", head: t("environment"), cell: ({ environment }) => t(environment) },
                  { key: "poll", head: t("cnPoll"), cell: ({ lastPollAt }) => (lastPollAt ? <When at={lastPollAt} ago /> : "—") },
                  { key: "certificate", head: t("cnCertificate"), cell: ({ certificateEndsAt }) => (certificateEndsAt ? <Certificate endsAt={certificateEndsAt} /> : "—") },
                  { key: "id", head: "ID", extra: true, cell: ({ id }) => <Id id={id} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}
