import type { NotificationChannel, NotificationChannelWithSecret, WebhookEvent } from "../../api_types";
import { api } from "../../app/api";
import { t } from "../../app/i18n";
import { type Environment, ownEnvironments, session } from "../../app/session";
import { Button } from "../../components/button";
import { Choices } from "../../components/choices";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, TextField, useForm } from "../../components/form";
import { channelsPath, furtherEvents, standardEvents } from "./types";

interface Values {
  [name: string]: string;
  name: string;
  url: string;
  environments: string; // comma-separated, as are the events
  events: string;
}
const listed = <T extends string>(text: string): T[] => (text ? (text.split(",") as T[]) : []);

function bodyOf({ name, url, environments, events }: Values) {
  return { name: name.trim() || null, url: url.trim(), environments: listed<Environment>(environments), events: listed<WebhookEvent>(events) };
}

function wrongIn({ url, environments, events }: Values): Record<string, string> {
  const wrong: Record<string, string> = {};
  // The server decides whether http:// is allowed, as in development.
  if (!/^https?:\/\/\S+$/.test(url.trim())) wrong.url = t("whUrlWrong");
  if (!environments) wrong.environments = t("chooseOne");
  if (!events) wrong.events = t("chooseOne");
  return wrong;
}

export interface ChannelFormProps {
  // The channel to change; absent: adds one.
  channel?: NotificationChannel;
  done(channel: NotificationChannel | NotificationChannelWithSecret): void;
  onClose(): void;
}

export function ChannelForm({ channel, done, onClose }: ChannelFormProps) {
  const form = useForm<Values, NotificationChannel | NotificationChannelWithSecret>({
    draft: channel ? undefined : "channel",
    initial: {
      name: channel?.name ?? "",
      url: channel?.url ?? "",
      environments: (channel?.environments ?? [session.get().environment]).join(","),
      events: (channel?.events ?? standardEvents).join(","),
    },
    check: wrongIn,
    send: (values, idempotencyKey) =>
      channel
        ? api.patch<NotificationChannel>(`${channelsPath}/${channel.id}`, bodyOf(values), { idempotencyKey })
        : api.post<NotificationChannelWithSecret>(channelsPath, bodyOf(values), { idempotencyKey }),
    done,
  });
  const events = channel?.webhookApiVersion === "v1" ? standardEvents : [...standardEvents, ...furtherEvents];
  return (
    <Dialog title={channel ? t("whEdit") : t("whAdd")} insistent={form.busy} onClose={onClose} wide>
      <FormBox form={form}>
        <TextField {...bound(form, "url")} type="url" label={t("whUrl")} hint={t("whUrlHint")} maxLength={2048} autoFocus />
        <TextField {...bound(form, "name")} label={t("name")} optional maxLength={255} />
        <Choices
          legend={t("whEnvironments")}
          error={form.errors.environments}
          hint={ownEnvironments().length === 1 ? t("whSandboxAlone") : listed(form.values.environments).length > 1 ? t("whBothWorlds") : undefined}
          of={ownEnvironments().map((each) => [each, t(each)] as const)}
          chosen={listed<Environment>(form.values.environments)}
          onChange={(chosen) => form.set("environments", chosen.join(","))}
        />
        <Choices
          legend={t("whEvents")}
          error={form.errors.events}
          of={events.map((event) => [event, t(`event_${event}`)] as const)}
          chosen={listed<WebhookEvent>(form.values.events)}
          onChange={(chosen) => form.set("events", chosen.join(","))}
        />
        <div class="buttons">
          <Button disabled={form.busy} onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {channel ? t("save") : t("whAdd")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}
