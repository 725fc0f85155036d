import { useState } from "preact/hooks";
import type { Checkpoint, Receipt } from "../../api_types";
import { api, type ApiError } from "../../app/api";
import { formatNumber } from "../../app/format";
import { language, t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace } from "../../app/router";
import { save } from "../../app/save";
import { keep, kept, useStore } from "../../app/store";
import { Button } from "../../components/button";
import { TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Loaded, Note, Problem } from "../../components/states";
import { CopyButton, Facts } from "../../components/text";
import { ReceiptCheck } from "../../verifier/receipt_check";
import { savedVerifier } from "../../verifier/saved_file";

const textFile = (text: string, type = "text/plain"): Blob => new Blob([text], { type: `${type};charset=utf-8` });

function CheckpointCard() {
  const checkpoint = useGet<Checkpoint>("/api/v1/ledger/checkpoint");
  return (
    <Section title={t("auCheckpoint")} actions={<Button onClick={checkpoint.reload}>{t("refresh")}</Button>}>
      <p>{t("auCheckpointWhy")}</p>
      <Loaded of={checkpoint}>
        {(now) => (
          <>
            <Facts
              of={[
                [t("auLedger"), <code>{now.origin}</code>],
                [t("auSize"), formatNumber(now.size)],
                [t("auRoot"), <code>{now.rootHash}</code>],
              ]}
            />
            <pre tabIndex={0} role="group" aria-label={t("auCheckpoint")}>
              {now.checkpoint}
            </pre>
            <div class="actions">
              <Button icon="export" onClick={() => save(textFile(now.checkpoint), `checkpoint-${now.size}.txt`)}>
                {t("auCheckpointSave")}
              </Button>
              <CopyButton text={now.checkpoint} label={t("copy")} what={t("auCheckpoint")} />
            </div>
          </>
        )}
      </Loaded>
    </Section>
  );
}

// Fetches a charge's receipt by its id, into the form below.
function ReceiptOf({ done }: { done(text: string): void }) {
  const { query } = usePlace();
  const [id, setId] = useState(query.get("cobranca") ?? "");
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const fetchIt = async (event: Event) => {
    event.preventDefault();
    if (!id.trim() || busy) return;
    setBusy(true);
    const result = await api.get<Receipt>(`/api/v1/transactions/${encodeURIComponent(id.trim())}/receipt`);
    setBusy(false);
    setError(result.ok ? null : result.error);
    if (result.ok) done(JSON.stringify(result.data, null, 2));
  };
  return (
    <form class="form" noValidate onSubmit={(event) => void fetchIt(event)}>
      {error && <Problem error={error} />}
      <TextField name="cobranca" label={t("auOfCharge")} hint={t("auOfChargeHint")} value={id} onInput={setId} maxLength={64} />
      <div class="actions">
        <Button type="submit" busy={busy}>
          {t("auFetch")}
        </Button>
      </div>
    </form>
  );
}

export function AuditPage() {
  const spoken = useStore(language);
  const [receipt, setReceipt] = useState("");
  const [key, setKey] = useState(kept("local", "ledger-key") ?? "");
  const [isAway, setAway] = useState(false);
  const saveVerifier = async () => {
    const text = await savedVerifier(spoken, key);
    setAway(text === null);
    if (text !== null) save(textFile(text, "text/html"), `pixledger-${spoken === "en" ? "verifier" : "verificador"}.html`);
  };
  return (
    <Page title={t("audit")} lead={t("auLead")}>
      <CheckpointCard />
      <Section title={t("auReceipt")} actions={receipt && <Button icon="export" onClick={() => save(textFile(receipt, "application/json"), "recibo.json")}>{t("auReceiptSave")}</Button>}>
        <ReceiptOf done={setReceipt} />
        <ReceiptCheck
          key={spoken}
          language={spoken}
          receipt={receipt}
          publicKey={key}
          onKey={(line) => {
            keep("local", "ledger-key", line);
            setKey(line);
          }}
        />
      </Section>
      <Section title={t("auFile")}>
        <p>{t("auFileWhy")}</p>
        <div role="status">{isAway && <Note tone="bad">{t("error_away")}</Note>}</div>
        <div class="actions">
          <Button kind="primary" icon="export" onClick={() => void saveVerifier()}>
            {t("auFileSave")}
          </Button>
        </div>
      </Section>
    </Page>
  );
}
