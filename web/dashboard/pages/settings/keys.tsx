import { useState } from "preact/hooks";
import type { ApiKey, IssuedApiKey } from "../../api_types";
import { api } from "../../app/api";
import { endOfDay } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace } from "../../app/router";
import { can, ownEnvironments, session } from "../../app/session";
import { Ask } from "../../components/ask";
import { Button } from "../../components/button";
import { Choices } from "../../components/choices";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Page, Section } from "../../components/page";
import { SecretOnce } from "../../components/secret_once";
import { Empty, Loaded, Note } from "../../components/states";
import { Pagination, Table } from "../../components/table";
import { Badge, Id, When } from "../../components/text";
import { toast } from "../../components/toast";
import { OwnersAlone } from "./owners_alone";

const resources = ["transactions", "customers", "channels", "events", "store"] as const;
const scopes = resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]).filter((scope) => scope !== "events:write");
const path = "/api/v1/keys";

const lines = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

function IssueKey({ done, onClose }: { done(key: IssuedApiKey): void; onClose(): void }) {
  const form = useForm({
    initial: { environment: session.get().environment as string, name: "", chosen: "", expires: "", ips: "" },
    fieldOf: { scopes: "chosen", expiresAt: "expires", allowedIps: "ips" },
    check: ({ chosen }): Record<string, string> => (chosen ? {} : { chosen: t("chooseOne") }),
    send: ({ environment, name, chosen, expires, ips }, idempotencyKey) =>
      api.post<IssuedApiKey>(
        path,
        {
          environment,
          name: name.trim() || null,
          scopes: chosen.split(","),
          expiresAt: expires ? endOfDay(expires) : null,
          ...(lines(ips).length > 0 && { allowedIps: lines(ips) }),
        },
        { idempotencyKey },
      ),
    done,
  });
  return (
    <Dialog title={t("keyIssue")} insistent={form.busy} onClose={onClose} wide>
      <FormBox form={form}>
        <div class="fields">
          <TextField {...bound(form, "name")} label={t("name")} hint={t("keyNameHint")} optional maxLength={60} autoFocus />
          <SelectField
            {...bound(form, "environment")}
            label={t("environment")}
            choices={ownEnvironments().map((each) => [each, t(each)] as const)}
          />
          <TextField {...bound(form, "expires")} type="date" label={t("keyExpires")} hint={t("keyExpiresHint")} optional />
        </div>
        <Choices
          legend={t("keyScopes")}
          error={form.errors.chosen}
          of={scopes.map((scope) => [scope, scope] as const)}
          chosen={form.values.chosen ? form.values.chosen.split(",") : []}
          onChange={(chosen) => form.set("chosen", chosen.join(","))}
        />
        <TextField {...bound(form, "ips")} rows={2} label={t("keyIps")} hint={t("keyIpsHint")} optional />
        <div class="buttons">
          <Button disabled={form.busy} onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {t("keyIssue")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}

function RollKey({ of, done, onClose }: { of: ApiKey; done(key: IssuedApiKey): void; onClose(): void }) {
  const [overlap, setOverlap] = useState("86400");
  return (
    <Ask<IssuedApiKey>
      once
      title={t("keyRoll")}
      action={t("keyRoll")}
      run={(idempotencyKey) => api.post<IssuedApiKey>(`${path}/${of.id}/roll`, { overlapSeconds: Number(overlap) }, { idempotencyKey })}
      done={done}
      onClose={onClose}
    >
      <p>{t("keyRollWhy", { name: of.name ?? of.id })}</p>
      <SelectField
        name="overlap"
        label={t("keyOverlap")}
        value={overlap}
        onInput={setOverlap}
        choices={[
          ["0", t("keyOverlapNone")],
          ["3600", t("anHour")],
          ["86400", t("aDay")],
          ["604800", t("aWeek")],
        ]}
      />
    </Ask>
  );
}

const RevokeKey = ({ of, done, onClose }: { of: ApiKey; done(): void; onClose(): void }) => (
  <Ask title={t("keyRevoke")} action={t("keyRevoke")} danger run={(idempotencyKey) => api.post<unknown>(`${path}/${of.id}/revoke`, {}, { idempotencyKey })} done={done} onClose={onClose}>
    <p>{t("keyRevokeWhy", { name: of.name ?? of.id })}</p>
  </Ask>
);

const isOver = ({ revokedAt, expiresAt }: ApiKey): boolean => revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) < Date.now());

function KeyState({ of }: { of: ApiKey }) {
  if (of.revokedAt) return <Badge tone="bad">{t("keyRevoked")}</Badge>;
  if (isOver(of)) return <Badge tone="warn">{t("keyExpired")}</Badge>;
  return <Badge tone="good">{t("keyGood")}</Badge>;
}

type Act = { kind: "issue" } | { kind: "roll" | "revoke"; of: ApiKey };

function KeyTable({ keys, act }: { keys: ApiKey[]; act(next: Act): void }) {
  return (
    <Table
      caption={t("keys")}
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "name",
          head: t("name"),
          cell: ({ id, name, prefix, lastFour }) => (
            <span>
              {name && <span class="strong block">{name}</span>}
              {prefix && <code class="block">{`${prefix}…${lastFour ?? ""}`}</code>}
              <Id id={id} />
            </span>
          ),
        },
        { key: "environment", head: t("environment"), cell: ({ environment }) => <Badge tone={environment === "live" ? "info" : "warn"}>{t(environment)}</Badge> },
        { key: "state", head: t("status"), cell: (key) => <KeyState of={key} /> },
        {
          key: "scopes",
          head: t("keyScopes"),
         
          cell: (key) => (key.scopes.length >= scopes.length ? t("keyAllScopes") : <span class="small">{key.scopes.join(", ")}</span>),
        },
        { key: "used", head: t("keyLastUsed"), cell: ({ lastUsedOn }) => (lastUsedOn ? <time dateTime={lastUsedOn}>{lastUsedOn.slice(0, 10).split("-").reverse().join("/")}</time> : t("never")) },
        { key: "expires", head: t("keyExpires"), cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : t("keyEndless")) },
        {
          key: "acts",
          head: t("actions"),
          silent: true,
          cell: (key) =>
            !isOver(key) && (
              <span class="row">
                <Button label={`${t("keyRollShort")}: ${key.name ?? key.id}`} onClick={() => act({ kind: "roll", of: key })}>{t("keyRollShort")}</Button>
                <Button kind="danger" label={`${t("keyRevokeShort")}: ${key.name ?? key.id}`} onClick={() => act({ kind: "revoke", of: key })}>
                  {t("keyRevokeShort")}
                </Button>
              </span>
            ),
        },
      ]}
    />
  );
}

function Keys() {
  const { query } = usePlace();
  const keys = useGet<ApiKey[]>(path, { page: query.get("page"), limit: 20 });
  const [act, setAct] = useState<Act | null>(null);
  const [issued, setIssued] = useState<string | null>(null);
  const close = () => setAct(null);
  const issue = (key: IssuedApiKey) => {
    close();
    setIssued(key.key);
    if (key.key === null) toast(t("keyShownBefore"), "bad");
    keys.reload();
  };
  return (
    <Page
      title={t("keys")}
      lead={t("keyLead")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAct({ kind: "issue" })}>
          {t("keyIssue")}
        </Button>
      }
    >
      <Section title={t("keys")} quiet>
        <Loaded of={keys}>{(rows) => (rows.length === 0 ? <Empty title={t("keyNone")} /> : <KeyTable keys={rows} act={setAct} />)}</Loaded>
        {keys.meta && <Pagination meta={keys.meta} busy={keys.loading} />}
      </Section>
      <Note>{t("keyServerOnly")}</Note>
      {act?.kind === "issue" && <IssueKey done={issue} onClose={close} />}
      {act?.kind === "roll" && <RollKey of={act.of} done={issue} onClose={close} />}
      {act?.kind === "revoke" && (
        <RevokeKey
          of={act.of}
          onClose={close}
          done={() => {
            toast(t("keyRevokedNow"));
            close();
            keys.reload();
          }}
        />
      )}
      {issued && <SecretOnce title={t("keyNew")} secret={issued} why={t("keyOnce")} onClose={() => setIssued(null)} />}
    </Page>
  );
}

export const KeysPage = () => (can("manage") ? <Keys /> : <OwnersAlone title={t("keys")} />);
