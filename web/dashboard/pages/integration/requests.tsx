import type { FailedRequest, FailedRequestGroup, FailedRequests } from "../../api_types";
import { formatNumber } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace, withQuery } from "../../app/router";
import { Button } from "../../components/button";
import { OfOtherWorld } from "../../components/other_world";
import { Page, Section } from "../../components/page";
import { Empty, Loaded, Note } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, Id, shortId, When } from "../../components/text";

const StatusNumber = ({ status }: { status: number }) => <Badge tone={status >= 500 ? "bad" : "warn"}>{status}</Badge>;

// Allows line breaks before slashes.
const Route = ({ of: { method, route, environment } }: { of: FailedRequest | FailedRequestGroup }) => (
  <span>
    <code>
      {method}{" "}
      {route.split("/").map((part, at) => (at === 0 ? part : <><wbr />/{part}</>))}
    </code>{" "}
    <OfOtherWorld of={environment} />
  </span>
);

const Groups = ({ groups }: { groups: FailedRequestGroup[] }) => (
  <Table
    caption={t("rqGroups")}
    rows={groups}
    rowKey={({ code, field, method, route, environment }) => `${code} ${field} ${method} ${route} ${environment}`}
    columns={[
      {
        key: "code",
        head: t("rqCode"),
        cell: ({ code, field }) => <a href={withQuery({ codigo: code, campo: field })}>{code}</a>,
      },
      { key: "field", head: t("rqField"), cell: ({ field }) => (field ? <code>{field}</code> : "—") },
      { key: "status", head: "HTTP", cell: ({ status }) => <StatusNumber status={status} /> },
      { key: "route", head: t("rqRoute"), cell: (group) => <Route of={group} /> },
      { key: "count", head: t("count"), number: true, cell: ({ count }) => formatNumber(count) },
      { key: "last", head: t("rqLast"), cell: ({ lastAt }) => <When at={lastAt} ago /> },
    ]}
  />
);

const Recent = ({ recent }: { recent: FailedRequest[] }) => (
  <Table
    caption={t("rqRecent")}
    rows={recent}
    rowKey={({ requestId, at }) => requestId + at}
    columns={[
      { key: "at", head: t("when"), cell: ({ at }) => <When at={at} style="full" /> },
      { key: "route", head: t("rqRoute"), cell: (call) => <Route of={call} /> },
      { key: "status", head: "HTTP", cell: ({ status }) => <StatusNumber status={status} /> },
      { key: "code", head: t("rqCode"), cell: ({ code }) => <a href={`/docs?codigo=${code}`}>{code}</a> },
      { key: "fields", head: t("rqField"), cell: ({ fields }) => (fields.length > 0 ? fields.map((field) => <code key={field}>{field} </code>) : "—") },
      { key: "who", head: t("rqWho"), cell: ({ keyId, userId }) => <code title={keyId ?? userId ?? undefined}>{shortId(keyId ?? userId ?? "—")}</code> },
      { key: "request", head: t("rqId"), cell: ({ requestId }) => <Id id={requestId} short /> },
    ]}
  />
);

export function RequestsPage() {
  const { query } = usePlace();
  const [code, field] = [query.get("codigo"), query.get("campo")];
  const failed = useGet<FailedRequests>("/api/v1/requests", { code, field, limit: 100 });
  return (
    <Page title={t("requests")} lead={t("rqLead")} actions={<Button onClick={failed.reload}>{t("refresh")}</Button>}>
      {(code || field) && (
        <Note>
          <div class="note-act">
            <p>
              {t("rqOnly")} <code>{code}</code> {field && <code>{field}</code>}
            </p>
            <a class="button plain" href={withQuery({ codigo: null, campo: null })}>
              {t("clearFilters")}
            </a>
          </div>
        </Note>
      )}
      <Loaded of={failed}>
        {({ groups, recent }) =>
          recent.length === 0 ? (
            <Section title={t("requests")} quiet>
              <Empty title={t("rqNone")}>
                <p>{t("rqNoneWhy")}</p>
              </Empty>
            </Section>
          ) : (
            <>
              <Section title={t("rqGroups")}>
                <Groups groups={groups} />
              </Section>
              <Section title={t("rqRecent")}>
                <Recent recent={recent} />
              </Section>
            </>
          )
        }
      </Loaded>
      <p class="soft small">{t("rqBounded")}</p>
    </Page>
  );
}
