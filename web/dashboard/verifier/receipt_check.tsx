// The form for a receipt and a key, with the verdict. Used on the audit page and in the saved file.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { parseVerifierKey } from "./checkpoint";
import { type Verdict, type Verified, verifyReceipt } from "./receipt";
import { wordsOf, type Words } from "./words";

export interface ReceiptCheckProps {
  language: string;
  // The fields' initial values, and new ones when they change.
  receipt?: string;
  publicKey?: string;
  onKey?(line: string): void;
}

type Outcome = { kind: "none" } | { kind: "unavailable" } | { kind: "wrong key" } | { kind: "verdict"; verdict: Verdict };

async function outcomeOf(receipt: string, line: string): Promise<Outcome> {
  if (!globalThis.crypto?.subtle) return { kind: "unavailable" };
  const key = await parseVerifierKey(line);
  return key ? { kind: "verdict", verdict: await verifyReceipt(receipt, key) } : { kind: "wrong key" };
}

const money = (language: string, cents: unknown): string =>
  typeof cents === "number" ? new Intl.NumberFormat(language, { style: "currency", currency: "BRL" }).format(cents / 100) : "—";

function EventTable({ verdict, language, words }: { verdict: Verified; language: string; words: Words }) {
  const columns = [words.when, words.what, words.amount, words.who];
  const time = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { day: "2-digit", month: "2-digit", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" });
  return (
    <table class="table" role="table">
      <caption class="said">{words.events}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column} scope="col" role="columnheader">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {verdict.events.map(({ position, recordedAt, type, data, actor }) => (
          <tr key={position} role="row">
            {[time.format(new Date(recordedAt)), words.types[type] ?? type, money(language, data.amountCents), actor].map((cell, i) => (
              <td key={i} role="cell" data-label={columns[i]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Holds({ verdict, language, words }: { verdict: Verified; language: string; words: Words }) {
  const facts: [string, string | number][] = [
    [words.transaction, verdict.transactionId],
    [words.status, words.statuses[verdict.status] ?? verdict.status],
    [words.events, verdict.events.length],
    [words.ledger, verdict.origin],
    [words.treeSize, verdict.size],
    [words.root, verdict.rootHash],
  ];
  if (verdict.withoutPersonalData > 0) facts.push([words.withoutPersonal, verdict.withoutPersonalData]);
  return (
    <div class="note good" data-verdict="holds">
      <p class="strong">{words.holds}</p>
      <p>{words.proves}</p>
      <p>{verdict.streamLength === null ? words.lacksLength : words.provesLength}</p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="long">{value}</dd>
          </div>
        ))}
      </dl>
      <EventTable verdict={verdict} language={language} words={words} />
    </div>
  );
}

function Shown({ outcome, language, words }: { outcome: Outcome; language: string; words: Words }) {
  if (outcome.kind === "none") return null;
  if (outcome.kind !== "verdict") return <div class="note bad" data-verdict="none">{outcome.kind === "unavailable" ? words.unavailable : words.keyWrong}</div>;
  const { verdict } = outcome;
  if (verdict.ok) return <Holds verdict={verdict} language={language} words={words} />;
  return (
    <div class="note bad" data-verdict={verdict.reason}>
      <p class="strong">{words.fails}</p>
      <p>{words.reasons[verdict.reason]}</p>
      {verdict.place && (
        <p>
          {words.place} <code class="long">{verdict.place}</code>
        </p>
      )}
    </div>
  );
}

function FileField({ label, onText }: { label: string; onText(text: string): void }) {
  const id = useId();
  const read = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file) onText(await file.text());
    input.value = ""; // allows the same file to be chosen again
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="file" accept=".json,.txt,application/json" onChange={(event) => void read(event.currentTarget)} />
    </div>
  );
}

function TextArea({ label, hint, rows, value, onInput }: { label: string; hint: string; rows: number; value: string; onInput(value: string): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} rows={rows} value={value} spellcheck={false} autocomplete="off" aria-describedby={`${id}-hint`} onInput={(event) => onInput(event.currentTarget.value)} />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

export function ReceiptCheck({ language, receipt: given = "", publicKey = "", onKey }: ReceiptCheckProps) {
  const words = wordsOf(language);
  const [receipt, setReceipt] = useState(given);
  const [key, setKey] = useState(publicKey);
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const [busy, setBusy] = useState(false);
  const latest = useRef({ receipt, key });
  latest.current = { receipt, key };
  const result = useRef<HTMLDivElement>(null);
  const take = (text: string) => {
    setReceipt(text);
    setOutcome({ kind: "none" });
  };
  const takeKey = (line: string) => {
    setKey(line);
    setOutcome({ kind: "none" });
  };
  useEffect(() => take(given), [given]);
  const check = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      const found = await outcomeOf(receipt, key);
      // The input has changed meanwhile: the verdict no longer applies.
      if (latest.current.receipt !== receipt || latest.current.key !== key) return;
      setOutcome(found);
      if (found.kind === "verdict" && found.verdict.ok) onKey?.(key.trim());
      result.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form class="form" noValidate onSubmit={(event) => void check(event)}>
        <FileField label={words.receiptFile} onText={take} />
        <TextArea label={words.receipt} hint={words.receiptHint} rows={6} value={receipt} onInput={take} />
        <TextArea label={words.key} hint={words.keyHint} rows={2} value={key} onInput={takeKey} />
        <div class="actions">
          <button type="submit" class="button primary" aria-busy={busy ? "true" : undefined}>
            {busy ? words.checking : words.check}
          </button>
        </div>
      </form>
      <div ref={result} tabIndex={-1} role="status" class="outcome">
        <Shown outcome={outcome} language={language} words={words} />
      </div>
    </>
  );
}
