import type { Store } from "../../api_types";
import { api } from "../../app/api";
import { formatMoney, formatNumber, parseMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { can, session, setStoreSettings, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { bound, CheckField, FormBox, TextField, useForm } from "../../components/form";
import { LiveAlone } from "../../components/other_world";
import { Page, Section } from "../../components/page";
import { Loaded, Note } from "../../components/states";
import { Facts, Id } from "../../components/text";
import { toast } from "../../components/toast";
import { LogoField } from "./logo_field";
import { PagePreview } from "./page_preview";

const storePath = "/api/v1/store";
const minutesMax = 525_600;
const centsMax = 99_999_999_999;
const colorForm = /^#[0-9a-f]{6}$/i;

const initialOf = (store: Store) => ({
  name: store.name,
  minutes: String(store.pixExpirationMinutes),
  maximum: formatNumber(store.maxTransactionAmountCents / 100, { minimumFractionDigits: 2 }),
  timezone: store.timezone,
  supportContact: store.supportContact ?? "",
  color: store.color ?? "",
  logo: store.logo ?? "",
  origins: store.embedOrigins.join("\n"),
  payerProofs: store.payerProofs,
});
type Values = ReturnType<typeof initialOf>;

function wrongIn(values: Values): Record<string, string> {
  const wrong: Record<string, string> = {};
  const minutes = Number(values.minutes);
  const cents = parseMoney(values.maximum);
  if (!values.name.trim()) wrong.name = t("reason_required");
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > minutesMax) wrong.minutes = t("reason_integer", { from: 1, to: minutesMax });
  if (cents === null || cents < 1 || cents > centsMax) wrong.maximum = t("stMaximumWrong", { most: formatMoney(centsMax) });
  if (values.color && !colorForm.test(values.color)) wrong.color = t("stColorWrong");
  return wrong;
}

// Only the changed settings: repeating the others would add changes to the store's history.
function changesOf(values: Values, store: Store): object {
  const before = initialOf(store);
  const changed = (name: keyof Values) => values[name] !== before[name];
  return {
    ...(changed("name") && { name: values.name.trim() }),
    ...(changed("minutes") && { pixExpirationMinutes: Number(values.minutes) }),
    ...(changed("maximum") && { maxTransactionAmountCents: parseMoney(values.maximum) }),
    ...(changed("timezone") && { timezone: values.timezone.trim() }),
    ...(changed("supportContact") && { supportContact: values.supportContact.trim() }),
    ...(changed("color") && { color: values.color }),
    ...(changed("logo") && { logo: values.logo }),
    ...(changed("origins") && { embedOrigins: values.origins.split(/\s+/).filter(Boolean) }),
    ...(changed("payerProofs") && { payerProofs: values.payerProofs }),
  };
}

const Given = ({ store }: { store: Store }) => (
  <Section title={t("stGiven")}>
    <Facts
      of={[
        [t("stPixKey"), store.pixKey ? <code>{store.pixKey}</code> : <span class="strong">{t("stNoPixKey")}</span>],
        [t("stMerchant"), `${store.merchantName}, ${store.merchantCity}`],
        [t("stFee"), `${formatMoney(store.feeFixedCents)} + ${formatNumber(store.feeBasisPoints / 10_000, { style: "percent", maximumFractionDigits: 2 })}`],
        [t("stVerifies"), t(store.verifyDocuments ? "yes" : "no")],
        [t("stReturnKey"), <Id id={store.returnPublicKey} />],
        ["ID", <Id id={store.id} />],
      ]}
    />
    <p class="soft small">{t("stGivenWhy")}</p>
  </Section>
);

// The color input needs a value: black stands for none.
const ColorPick = ({ value, onInput }: { value: string; onInput(color: string): void }) => (
  <input class="color-pick" type="color" aria-label={t("stColorPick")} value={colorForm.test(value) ? value : "#000000"} onInput={(event) => onInput(event.currentTarget.value)} />
);

function StoreForm({ store, changed }: { store: Store; changed(store: Store): void }) {
  const form = useForm<Values, Store>({
    initial: initialOf(store),
    fieldOf: { pixExpirationMinutes: "minutes", maxTransactionAmountCents: "maximum", embedOrigins: "origins" },
    check: wrongIn,
    send: (values, idempotencyKey) => api.patch<Store>(storePath, changesOf(values, store), { idempotencyKey }),
    done: changed,
  });
  const zones = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone").filter((each) => each.startsWith("America/")) : [];
  return (
    <FormBox form={form}>
      <Section title={t("stCharges")}>
        <div class="fields">
          <TextField {...bound(form, "name")} label={t("name")} maxLength={255} />
          <TextField {...bound(form, "minutes")} label={t("stMinutes")} hint={t("stMinutesHint")} inputMode="numeric" />
          <TextField {...bound(form, "maximum")} label={t("stMaximum")} prefix="R$" inputMode="decimal" />
          <TextField {...bound(form, "timezone")} label={t("stTimezone")} hint={t("stTimezoneHint")} list="zones" maxLength={64} />
          <datalist id="zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
      </Section>
      <Section title={t("stAppearance")}>
        <p class="soft">{t("stAppearanceWhy")}</p>
        <div class="columns main">
          <div class="stack">
            <LogoField value={form.values.logo} error={form.errors.logo} onChange={(logo) => form.set("logo", logo)} />
            <div class="with-pick">
              <TextField {...bound(form, "color")} label={t("stColor")} hint={t("stColorHint")} optional maxLength={7} placeholder="#0a6b3d" />
              <ColorPick value={form.values.color} onInput={(color) => form.set("color", color)} />
            </div>
            <TextField {...bound(form, "supportContact")} label={t("stSupport")} hint={t("stSupportHint")} optional maxLength={255} />
          </div>
          <PagePreview name={form.values.name} logo={form.values.logo} color={form.values.color} contact={form.values.supportContact} />
        </div>
        <TextField {...bound(form, "origins")} rows={3} label={t("stOrigins")} hint={t("stOriginsHint")} optional />
        <CheckField name="payerProofs" label={t("stProofs")} hint={t("stProofsHint")} checked={form.values.payerProofs} onInput={(on) => form.set("payerProofs", on)} />
      </Section>
      <div class="actions">
        <Button kind="primary" type="submit" busy={form.busy}>
          {t("save")}
        </Button>
      </div>
    </FormBox>
  );
}

// The view for roles that may not change the settings.
const Shown = ({ store }: { store: Store }) => (
  <Section title={t("stCharges")}>
    <Facts
      of={[
        [t("name"), store.name],
        [t("stMinutes"), formatNumber(store.pixExpirationMinutes)],
        [t("stMaximum"), formatMoney(store.maxTransactionAmountCents)],
        [t("stTimezone"), store.timezone],
        [t("stSupport"), store.supportContact],
        [t("stColor"), store.color],
      ]}
    />
  </Section>
);

export function StorePage() {
  const { environment, projectId } = useSession();
  const sandbox = environment === "sandbox";
  const store = useGet<Store>(storePath);
  const changed = (next: Store) => {
    store.set(next);
    if (session.get().projectId === projectId) setStoreSettings(next);
    toast(t("saved"));
  };
  return (
    <Page title={t("store")} lead={t("stLead")}>
      {!can("manage") ? <Note>{t("stOwners")}</Note> : sandbox && <LiveAlone why={t("stLiveAlone")} />}
      <Loaded of={store} lines={8}>
        {(now) => (
          <>
            {can("manage") && !sandbox ? <StoreForm store={now} changed={changed} /> : <Shown store={now} />}
            <Given store={now} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
