// The acts on a channel, each in a dialog.
import { useState } from "preact/hooks";
import type { ChannelPreview, NotificationChannel, NotificationChannelWithSecret, Recovery } from "../../api_types";
import { api } from "../../app/api";
import { momentOf, zone } from "../../app/format";
import { t, tn } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { Ask } from "../../components/ask";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Loaded, Note } from "../../components/states";
import { toast } from "../../components/toast";
import { channelsPath } from "./types";

interface ActProps {
  channel: NotificationChannel;
  onClose(): void;
}

export function RotateSecret({ channel, onClose, done }: ActProps & { done(secret: string): void }) {
  const [grace, setGrace] = useState("86400");
  return (
    <Ask<NotificationChannelWithSecret>
      once
      title={t("whRotate")}
      action={t("whRotate")}
      run={(idempotencyKey) => api.post<NotificationChannelWithSecret>(`${channelsPath}/${channel.id}/rotate-secret`, { graceSeconds: Number(grace) }, { idempotencyKey })}
      done={({ secret }) => done(secret)}
      onClose={onClose}
    >
      <p>{t("whRotateWhy")}</p>
      <SelectField
        name="grace"
        label={t("whGrace")}
        value={grace}
        onInput={setGrace}
        choices={[
          ["0", t("whGraceNone")],
          ["3600", t("anHour")],
          ["86400", t("aDay")],
          ["604800", t("aWeek")],
        ]}
      />
      {grace === "0" && <Note tone="warn">{t("whGraceNoneWhy")}</Note>}
    </Ask>
  );
}

export const PauseChannel = ({ channel, onClose, done }: ActProps & { done(channel: NotificationChannel): void }) => (
  <Ask<NotificationChannel>
    title={t("whPauseTitle")}
    action={t("whPause")}
    run={(idempotencyKey) => api.patch<NotificationChannel>(`${channelsPath}/${channel.id}`, { isActive: false }, { idempotencyKey })}
    done={done}
    onClose={onClose}
  >
    <p>{t("whPauseWhy")}</p>
    <p>{t("whPauseAfter")}</p>
  </Ask>
);

export const DeleteChannel = ({ channel, onClose, done }: ActProps & { done(): void }) => (
  <Ask title={t("whDelete")} action={t("whDelete")} danger run={(idempotencyKey) => api.remove<unknown>(`${channelsPath}/${channel.id}`, { idempotencyKey })} done={done} onClose={onClose}>
    <p>{t("whDeleteWhy", { url: channel.url })}</p>
  </Ask>
);

function pretty(sample: ChannelPreview["v1"]): string {
  if (!sample) return t("whNotInV1");
  const headers = Object.entries(sample.headers).map(([name, value]) => `${name}: ${value}`);
  return [...headers, "", sample.body === null ? t("whMasked") : JSON.stringify(JSON.parse(sample.body), null, 2)].join("\n");
}

// Shows both payloads before the channel moves to v2 for good.
export function MigrateChannel({ channel, onClose, done }: ActProps & { done(channel: NotificationChannel): void }) {
  const preview = useGet<ChannelPreview>(`${channelsPath}/${channel.id}/preview`, { webhookApiVersion: "v2", event: channel.events[0] });
  return (
    <Ask<NotificationChannel>
      title={t("whMigrate")}
      action={t("whMigrate")}
      wide
      run={(idempotencyKey) => api.patch<NotificationChannel>(`${channelsPath}/${channel.id}`, { webhookApiVersion: "v2" }, { idempotencyKey })}
      done={done}
      onClose={onClose}
    >
      <p>{t("whMigrateWhy")}</p>
      <Loaded of={preview} lines={8}>
        {(both) => (
          <>
            {both.isSample && <Note>{t("whMigrateSample")}</Note>}
            <div class="columns">
              {(["v1", "v2"] as const).map((version) => (
                <div key={version} class="payload">
                  <h3>{t(version === "v1" ? "whNowV1" : "whThenV2")}</h3>
                  <pre tabIndex={0} role="group" aria-label={version} data-version={version}>
                    {pretty(both[version])}
                  </pre>
                </div>
              ))}
            </div>
          </>
        )}
      </Loaded>
      <Note tone="warn">{t("whMigrateFinal")}</Note>
    </Ask>
  );
}

interface Period {
  since: string;
  until: string;
}

// Counts first, then sends.
export function RecoverChannel({ channel, onClose, done }: ActProps & { done(): void }) {
  const [count, setCount] = useState<{ of: Period; found: Recovery } | null>(null);
  // A count is valid only for its own period.
  const countOf = ({ since, until }: Period) => (count && count.of.since === since && count.of.until === until ? count.found : null);
  const recover = (values: Period, dryRun: boolean, idempotencyKey?: string) =>
    api.post<Recovery>(
      `${channelsPath}/${channel.id}/recover`,
      { since: momentOf(values.since), ...(values.until && { until: momentOf(values.until) }), ...(dryRun && { dryRun }) },
      { idempotencyKey },
    );
  const form = useForm({
    initial: { since: "", until: "" },
    check: ({ since, until }): Record<string, string> => {
      if (!momentOf(since)) return { since: t("chooseMoment") };
      return until && until < since ? { until: t("untilBeforeFrom") } : {};
    },
    send: (values, key) => recover(values, countOf(values) === null, key),
    done: (found, values) => {
      if (countOf(values) === null) return setCount({ of: values, found });
      toast(t("whRecovering"));
      done();
    },
  });
  const counted = countOf(form.values);
  const none = counted !== null && counted.queued + counted.hastened === 0;
  return (
    <Dialog title={t("whRecover")} onClose={onClose}>
      <p>{t("whRecoverWhy", { zone: zone() })}</p>
      <FormBox form={form}>
        <div class="fields">
          <TextField {...bound(form, "since")} type="datetime-local" label={t("from")} />
          <TextField {...bound(form, "until")} type="datetime-local" label={t("to")} optional />
        </div>
        <div role="status">
          {counted && (
            <Note tone={none ? "info" : "warn"}>
              {none ? t("whRecoverNone") : `${tn("whRecoverQueued", counted.queued)} ${tn("whRecoverHastened", counted.hastened)}`}
            </Note>
          )}
        </div>
        <div class="buttons">
          <Button onClick={onClose}>{t("cancel")}</Button>
          {!none && (
            <Button kind="primary" type="submit" busy={form.busy}>
              {counted ? t("whRecoverSend") : t("whRecoverCount")}
            </Button>
          )}
        </div>
      </FormBox>
    </Dialog>
  );
}
