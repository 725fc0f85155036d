import { useState } from "preact/hooks";
import type { CheckoutSession, CheckoutSessionWithSecret, TransactionItemV1 } from "../../api_types";
import { api } from "../../app/api";
import { formatMoney, formatTime, parseMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { keep, kept } from "../../app/store";
import { can, membership, useSession } from "../../app/session";
import { Button, LinkButton } from "../../components/button";
import { Ask } from "../../components/ask";
import { bound, type FieldErrors, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Page, Section } from "../../components/page";
import { QrImage } from "../../components/qr_image";
import { Loaded, Note } from "../../components/states";
import { Table } from "../../components/table";
import { CopyButton, Money, Status, When } from "../../components/text";
import { toast } from "../../components/toast";

const initial = { product: "", amount: "", reference: "", originDomain: "", minutes: "1440", locale: "", who: "ask", name: "", document: "", email: "", phone: "" };
type Values = typeof initial;

const digits = (text: string) => text.replace(/[^0-9A-Za-z]/g, "").toUpperCase();

// Stored by project: each has its own shop.
const domainName = () => `domain.${membership()?.id}`;

function check(values: Values): FieldErrors {
  const found: FieldErrors = {};
  if (!values.product.trim()) found.product = t("reason_required");
  if (!parseMoney(values.amount)) found.amount = t("amountWrong");
  if (!values.originDomain.trim()) found.originDomain = t("reason_required");
  if (values.who === "known") {
    if (!values.name.trim()) found.name = t("reason_required");
    if (!/^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/.test(digits(values.document))) found.document = t("reason_document");
    if (!/^[^@\s]+@[^@\s]+$/.test(values.email.trim())) found.email = t("reason_email");
    if (!/^[0-9]{10,15}$/.test(values.phone.replace(/\D/g, ""))) found.phone = t("reason_phone");
  }
  return found;
}

const bodyOf = (values: Values) => ({
  payment: { product: values.product.trim(), amountCents: parseMoney(values.amount) },
  originDomain: values.originDomain.trim().toLowerCase(),
  externalId: values.reference.trim() || null,
  expiresInMinutes: Number(values.minutes),
  locale: values.locale || null,
  customer:
    values.who === "known"
      ? { name: values.name.trim(), document: digits(values.document), email: values.email.trim(), phone: values.phone.replace(/\D/g, "") }
      : null,
});

const fieldOf = {
  "payment.product": "product",
  "payment.amountCents": "amount",
  externalId: "reference",
  expiresInMinutes: "minutes",
  "customer.name": "name",
  "customer.document": "document",
  "customer.email": "email",
  "customer.phone": "phone",
};

function LinkForm({ domain, done }: { domain: string; done(session: CheckoutSession): void }) {
  const [ownDomain] = useState(domainName);
  const form = useForm({
    initial: { ...initial, originDomain: domain },
    draft: "new_charge",
    check,
    fieldOf,
    send: (values, idempotencyKey) => api.post<CheckoutSessionWithSecret>("/api/v1/checkout/sessions", bodyOf(values), { idempotencyKey }),
    done: (session, { originDomain }) => {
      keep("local", ownDomain, originDomain.trim());
      done(session);
    },
  });
  const known = form.values.who === "known";
  return (
    <FormBox form={form} label={t("newCharge")}>
      <Section title={t("linkWhat")}>
        <TextField label={t("product")} maxLength={255} {...bound(form, "product")} />
        <div class="fields">
          <TextField label={t("amount")} prefix="R$" inputMode="decimal" placeholder="0,00" {...bound(form, "amount")} />
          <TextField label={t("reference")} hint={t("referenceHint")} optional maxLength={128} {...bound(form, "reference")} />
        </div>
        <div class="fields">
          <SelectField
            label={t("linkValid")}
            {...bound(form, "minutes")}
            choices={[["60", t("linkHour")], ["1440", t("linkDay")], ["4320", t("linkDays", { n: 3 })], ["10080", t("linkDays", { n: 7 })], ["43200", t("linkDays", { n: 30 })]]}
          />
          <SelectField label={t("linkLanguage")} {...bound(form, "locale")} choices={[["", t("linkLanguageAuto")], ["pt-BR", "Português"], ["en", "English"]]} />
        </div>
        <TextField label={t("originDomain")} hint={t("originDomainHint")} maxLength={253} {...bound(form, "originDomain")} />
      </Section>
      <Section title={t("linkWho")}>
        <fieldset>
          <legend class="said">{t("linkWho")}</legend>
          {(["ask", "known"] as const).map((each) => (
            <div class="check" key={each}>
              <input id={`who-${each}`} type="radio" name="who" value={each} checked={form.values.who === each} onChange={() => form.set("who", each)} />
              <label for={`who-${each}`}>{t(each === "ask" ? "linkAsk" : "linkKnown")}</label>
            </div>
          ))}
        </fieldset>
        {known && (
          <div class="fields">
            <TextField label={t("name")} maxLength={255} {...bound(form, "name")} />
            <TextField label={t("document")} {...bound(form, "document")} />
            <TextField label={t("email")} type="email" {...bound(form, "email")} />
            <TextField label={t("phone")} hint={t("phoneHint")} type="tel" {...bound(form, "phone")} />
          </div>
        )}
      </Section>
      <Button type="submit" kind="primary" icon="link" busy={form.busy}>
        {t("linkMake")}
      </Button>
    </FormBox>
  );
}

function LinkReady({ session, again }: { session: CheckoutSession; again(): void }) {
  const { product, amountCents } = session.payment;
  const text = t("linkText", { product, amount: formatMoney(amountCents), url: session.url });
  return (
    <Section title={t("linkReady")} actions={<Button onClick={again}>{t("linkAnother")}</Button>}>
      <Note tone="good">{t("linkReadyWhy", { when: formatTime(session.expiresAt) })}</Note>
      <p>
        <span class="strong">{product}</span> · <Money cents={amountCents} />
      </p>
      <QrImage text={session.url} label={t("linkQr")} />
      <div class="secret">
        <code>{session.url}</code>
      </div>
      <div class="row">
        <CopyButton text={session.url} label={t("linkCopy")} />
        <LinkButton href={`https://wa.me/?text=${encodeURIComponent(text)}`} outside>
          {t("linkWhatsApp")}
        </LinkButton>
        <LinkButton href={session.url} outside>
          {t("linkOpen")}
        </LinkButton>
      </div>
    </Section>
  );
}

function RecentLinks() {
  const { environment } = useSession();
  const list = useGet<CheckoutSession[]>("/api/v1/checkout/sessions", { environment, limit: 10 });
  const [cancelling, setCancelling] = useState<CheckoutSession | null>(null);
  return (
    <Section title={t("linksRecent")}>
      <Loaded of={list}>
        {(sessions) =>
          sessions.length === 0 ? (
            <p class="soft">{t("linksNone")}</p>
          ) : (
            <Table<CheckoutSession>
              caption={t("linksRecent")}
              rows={sessions}
              rowKey={({ id }) => id}
              columns={[
                { key: "product", head: t("product"), cell: ({ payment, transactionId }) => (transactionId ? <a href={`/cobrancas/${transactionId}`}>{payment.product}</a> : payment.product) },
                { key: "amount", head: t("amount"), number: true, cell: ({ payment }) => <Money cents={payment.amountCents} /> },
                { key: "status", head: t("status"), cell: ({ status }) => <Status of={status} kind="link" /> },
                { key: "expires", head: t("linkExpires"), cell: ({ expiresAt }) => <When at={expiresAt} /> },
                {
                  key: "acts",
                  head: t("actions"),
                  silent: true,
                  number: true,
                  cell: (each) =>
                    each.status === "open" && (
                      <span class="row end">
                        <CopyButton text={each.url} what={`${t("linkCopy")}: ${each.payment.product}`} />
                        {can("write") && (
                          <Button kind="danger" label={`${t("linkCancel")}: ${each.payment.product}`} onClick={() => setCancelling(each)}>
                            {t("cancel")}
                          </Button>
                        )}
                      </span>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {cancelling && (
        <Ask
          title={t("linkCancel")}
          action={t("linkCancel")}
          danger
          run={(idempotencyKey) => api.post<unknown>(`/api/v1/checkout/sessions/${cancelling.id}/cancel`, {}, { idempotencyKey })}
          onClose={() => setCancelling(null)}
          done={() => {
            setCancelling(null);
            toast(t("linkCancelled"));
            list.reload();
          }}
        >
          {t("linkCancelWhy")}
        </Ask>
      )}
    </Section>
  );
}

export function NewChargePage() {
  const { environment, store } = useSession();
  const [session, setSession] = useState<CheckoutSession | null>(null);
  const [turn, setTurn] = useState(0);
  // The shop's domain: the last one typed here, else that of the last charge.
  const known = kept("local", domainName());
  const last = useGet<TransactionItemV1[]>(known === null ? "/api/v1/transactions" : null, { environment, limit: 1 });
  // Nothing is shown below the form before it, so that nothing moves.
  const ready = !can("write") || known !== null || last.data !== undefined || last.error !== null;
  return (
    <Page title={t("newCharge")} lead={t("linkLead")} above={{ href: "/cobrancas", title: t("charges") }}>
      {!can("write") ? (
        <Note>{t("readOnly")}</Note>
      ) : session ? (
        <LinkReady session={session} again={() => setSession(null)} />
      ) : (
        ready && (
          <>
            {environment === "live" && store?.pixKey === null && <Note tone="warn">{t("linkNoPixKey")}</Note>}
            <LinkForm
              domain={known ?? last.data?.[0]?.originDomain ?? ""}
              done={(made) => {
                setSession(made);
                setTurn(turn + 1);
              }}
            />
          </>
        )
      )}
      {ready && <RecentLinks key={turn} />}
    </Page>
  );
}
