import type { ListedConnection } from "../../api_types";
import { formatAgo } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { useSession } from "../../app/session";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, Id, When } from "../../components/text";

const tones = { ok: "good", behind: "warn", left_alone: "bad", unknown: "warn" } as const;
const soonMs = 30 * 86_400_000;

function State({ connection }: { connection: ListedConnection }) {
  if (!connection.isEnabled) return <Badge>{t("cnOff")}</Badge>;
  const state = connection.breakerOpen ? "left_alone" : connection.state;
  if (state === null) return <WithoutBank connection={connection} />;
  if (state === "ok" && !connection.lastPollAt) return <Badge tone="warn">{t("cnState_not_yet")}</Badge>;
  return <Badge tone={tones[state]}>{t(`cnState_${state}`)}</Badge>;
}

// Codes contain the store's own key; no bank reports whether they were paid.
function WithoutBank({ connection }: { connection: ListedConnection }) {
  const { store } = useSession();
  if (connection.environment === "live" && store?.pixKey === null) return <Badge tone="bad">{t("cnNoPixKey")}</Badge>;
  return <Badge tone={connection.environment === "live" && !store ? "calm" : "good"}>{t("cnOn")}</Badge>;
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
  const connections = useGet<ListedConnection[]>("/api/v1/connections");
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
                  { key: "id", head: "ID", cell: ({ id }) => <Id id={id} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}
