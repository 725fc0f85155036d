// One operation: its callers, input, replies, and samples of calls.
import { t } from "../app/i18n";
import { Section } from "../components/page";
import { Badge } from "../components/text";
import { Code } from "./code";
import type { OpenapiDocument, Parameter } from "./document";
import { ParameterFields, SchemaFields } from "./field_list";
import type { Answer, Content, Operation, ShownExample } from "./operations";
import { Line, Prose } from "./prose";
import { curlOf, nodeOf } from "./samples";
import { isCalled, NotTried, TryIt, whyNotTried } from "./try_it";

const shownValue = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function Examples({ examples }: { examples: ShownExample[] }) {
  return (
    <>
      {examples.map(({ name, summary, value }, i) => (
        <details key={name} class="variant" data-example={name} open={i === 0 || undefined}>
          <summary>
            {t("docExample")} {name && <code>{name}</code>} {summary && <Line text={summary} />}
          </summary>
          <Code text={shownValue(value)} what={`${t("docExample")} ${name}`} />
        </details>
      ))}
    </>
  );
}

const Contents = ({ document, contents }: { document: OpenapiDocument; contents: Content[] }) => (
  <>
    {contents.map(({ type, schema, examples }) => (
      <div key={type} data-content={type}>
        <p class="soft small">
          <code>{type}</code>
        </p>
        {schema && <SchemaFields document={document} schema={schema} />}
        <Examples examples={examples} />
      </div>
    ))}
  </>
);

function Headers({ headers }: { headers: string[] }) {
  return headers.length > 0 ? (
    <p class="limits soft small">
      {t("docHeaders")}:{" "}
      {headers.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </p>
  ) : null;
}

const Success = ({ document, answer }: { document: OpenapiDocument; answer: Answer }) => (
  <div data-answer={answer.status} class="answer">
    <h3>
      <Badge tone="good">{answer.status}</Badge> <Line text={answer.description} />
    </h3>
    <Headers headers={answer.headers} />
    <Contents document={document} contents={answer.contents} />
  </div>
);

// All errors have one form, shown elsewhere; here are the codes and their messages.
function Refusal({ answer }: { answer: Answer }) {
  const examples = answer.contents.find(({ type }) => type === "application/json")?.examples ?? [];
  const said = (code: string) => examples.filter(({ value }) => (value as { code?: string } | null)?.code === code);
  return (
    <li data-answer={answer.status}>
      <p>
        <Badge tone="warn">{answer.status}</Badge> <Line text={answer.description} />
      </p>
      <Headers headers={answer.headers} />
      <ul class="code-list">
        {answer.codes.map((code) => (
          <li key={code} data-code={code}>
            <a href={`?codigo=${code}`}>
              <code>{code}</code>
            </a>
            {said(code).map(({ name, value }) => (
              <details key={name} data-example={name} class="variant">
                <summary>
                  <Line text={String((value as { message?: string }).message ?? name)} />
                </summary>
                <Code text={shownValue(value)} what={`${t("docExample")} ${name}`} />
              </details>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Security({ operation }: { operation: Operation }) {
  if (operation.security.length === 0) return <p>{operation.isWebhook ? t("docSignedWebhook") : t("docNoCredential")}</p>;
  return (
    <ul class="code-list">
      {operation.security.map(({ scheme, scopes }) => (
        <li key={scheme + scopes.join()}>
          {scheme === "apiKey" ? t("docByKey") : t("docByUser")}{" "}
          {scopes.map((scope) => (
            <code key={scope}>{scope}</code>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Parameters({ document, operation }: { document: OpenapiDocument; operation: Operation }) {
  const kinds = [
    ["path", t("docParametersOfPath")],
    ["query", t("docParametersOfQuery")],
    ["header", t("docParametersOfHeader")],
  ] as const;
  const of = (kind: Parameter["in"]) => operation.parameters.filter((each) => each.in === kind);
  return (
    <>
      {kinds.map(([kind, title]) => {
        const parameters = of(kind);
        return (
          parameters.length > 0 && (
            <div key={kind} data-parameters={kind}>
              <h3>{title}</h3>
              <ParameterFields document={document} parameters={parameters} />
            </div>
          )
        );
      })}
    </>
  );
}

const Samples = ({ operation }: { operation: Operation }) => {
  const curl = curlOf(operation);
  const node = nodeOf(operation);
  if (!curl && !node) return null;
  return (
    <Section title={t("docCallIt")}>
      {curl && (
        <>
          <h3>curl</h3>
          <Code text={curl} what="curl" />
        </>
      )}
      {node && (
        <>
          <h3>Node</h3>
          <Code text={node} what="Node" />
        </>
      )}
    </Section>
  );
};

export function OperationView({ document, operation }: { document: OpenapiDocument; operation: Operation }) {
  const isGood = (answer: Answer) => answer.status.startsWith("2");
  const notTried = whyNotTried(operation);
  const takes = operation.parameters.length > 0 || operation.bodies.length > 0;
  return (
    <article data-operation={operation.id}>
      <Section title={t("docAbout")} quiet>
        <p class="address">
          <Badge tone={operation.method === "GET" ? "info" : "good"}>{operation.method}</Badge> <code>{operation.path}</code>
        </p>
        <Prose text={operation.description} />
        <Security operation={operation} />
      </Section>
      <div class="columns main">
        <div class="stack">
          {takes && (
            <Section title={t("docRequest")}>
              <Parameters document={document} operation={operation} />
              {operation.bodies.length > 0 && (
                <div data-body>
                  <h3>
                    {t("docBody")} {operation.bodyRequired && <Badge tone="info">{t("docRequired")}</Badge>}
                  </h3>
                  <Contents document={document} contents={operation.bodies} />
                </div>
              )}
            </Section>
          )}
          <Section title={t("docAnswers")}>
            {operation.answers.filter(isGood).map((answer) => (
              <Success key={answer.status} document={document} answer={answer} />
            ))}
          </Section>
          <Section title={t("docRefusals")}>
            <p class="soft">
              <a href="?codigo=todos">{t("docRefusalForm")}</a>
            </p>
            <ul class="refusals">
              {operation.answers
                .filter((answer) => !isGood(answer))
                .map((answer) => (
                  <Refusal key={answer.status} answer={answer} />
                ))}
            </ul>
          </Section>
        </div>
        <div class="stack">
          <Samples operation={operation} />
          {isCalled(operation) && (notTried ? <NotTried why={notTried} /> : <TryIt key={operation.id} operation={operation} />)}
        </div>
      </div>
    </article>
  );
}
