// *Experimentar*: a call in the sandbox with the user's own sign-in; needs no key.
import { useEffect, useRef, useState } from "preact/hooks";
import { apiHeaders, gates, pathWith, randomId } from "../app/api";
import { type MessageKey, t } from "../app/i18n";
import { sessionEnded } from "../app/session";
import { Button } from "../components/button";
import { TextField } from "../components/form";
import { Section } from "../components/page";
import { Note } from "../components/states";
import { Badge } from "../components/text";
import { Code } from "./code";
import type { Operation } from "./operations";
import { exampleOf } from "./samples";

const shownMax = 200_000; // characters of a reply

/** Whether the operation is the API's and takes a credential, which the sign-in is. */
export const isCalled = ({ isWebhook, path, security }: Operation): boolean => !isWebhook && path.startsWith("/api/") && security.length > 0;
/** Why it cannot be tried: it has no separate sandbox. Null if it can. */
export function whyNotTried({ security }: Operation): MessageKey | null {
  const scopes = security.flatMap((each) => each.scopes);
  if (scopes.includes("store:write")) return "tryNotStore";
  return scopes.includes("account") || scopes.includes("members") ? "tryNot" : null;
}

interface Tried {
  status: number; // 0: no reply
  took: number;
  text: string;
}

async function answered(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, shownMax);
  } catch {
    return text.slice(0, shownMax);
  }
}

async function attempt(operation: Operation, values: Record<string, string>, body: string, signal: AbortSignal): Promise<Tried> {
  const query: Record<string, string> = {};
  for (const { name, in: where } of operation.parameters) if (where === "query" && values[name]) query[name] = values[name];
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const headers: Record<string, string> = { ...apiHeaders(), "Pixledger-Environment": "sandbox", Accept: "*/*" };
  const init: RequestInit = { method: operation.method, headers, credentials: "same-origin", signal };
  if (operation.method !== "GET") headers["Idempotency-Key"] = randomId();
  if (operation.bodies.length > 0 && body.trim() !== "") {
    headers["Content-Type"] = operation.bodies[0]!.type;
    init.body = body;
  }
  const began = performance.now();
  for (;;) {
    try {
      const response = await fetch(pathWith(path, query), init);
      const text = await answered(response);
      if (response.status === 403 && text.includes('"ERR_AUTH_013"') && (await gates.confirm())) continue;
      if (response.status === 401 && text.includes('"ERR_AUTH_011"')) {
        sessionEnded();
        if (await gates.signIn()) continue;
      }
      return { status: response.status, took: performance.now() - began, text };
    } catch {
      return { status: 0, took: performance.now() - began, text: "" };
    }
  }
}

function Outcome({ status, took, text }: Tried) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), [status, took]);
  return (
    <div ref={element} tabIndex={-1} class="outcome">
      <p role="status">
        <Badge tone={status >= 200 && status < 300 ? "good" : "bad"}>{status || t("noAnswer")}</Badge>{" "}
        <span class="soft">{Math.round(took)} ms</span>
      </p>
      {text && <Code text={text} what={t("docAnswer")} />}
    </div>
  );
}

export const NotTried = ({ why }: { why: MessageKey }) => (
  <Section title={t("tryIt")}>
    <Note>{t(why)}</Note>
  </Section>
);

export function TryIt({ operation }: { operation: Operation }) {
  const inputs = operation.parameters.filter((each) => each.in !== "header");
  const example = operation.bodies[0]?.examples[0]?.value;
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(inputs.filter(({ in: where }) => where === "path").map(({ name }) => [name, exampleOf(operation, name)])),
  );
  const [body, setBody] = useState(typeof example === "string" ? example : example === undefined ? "" : JSON.stringify(example, null, 2));
  const [tried, setTried] = useState<Tried | null>(null);
  const [busy, setBusy] = useState(false);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setTried(await attempt(operation, values, body, leaving.current.signal));
    setBusy(false);
  };
  return (
    <Section title={t("tryIt")}>
      <Note tone="warn">{t("trySandbox")}</Note>
      <form class="form" onSubmit={(event) => void send(event)} noValidate>
        {inputs.map(({ name, required }) => (
          <TextField
            key={name}
            name={name}
            label={name}
            optional={!required}
            value={values[name] ?? ""}
            onInput={(value) => setValues((last) => ({ ...last, [name]: value }))}
          />
        ))}
        {operation.bodies.length > 0 && <TextField name="body" label={t("docBody")} rows={10} value={body} onInput={setBody} />}
        <div class="actions">
          <Button kind="primary" type="submit" busy={busy}>
            {t("trySend")}
          </Button>
        </div>
      </form>
      {tried && <Outcome {...tried} />}
    </Section>
  );
}
