// Samples of calls from a shell and with the Node SDK.
import sdk from "../../../sdk/node/lib/operations.cjs";
import type { Operation } from "./operations";

const anyParameter = /\{[^}]+\}/g;
const bare = (path: string): string => path.replace(anyParameter, "{}");

function sdkName(operation: Operation): { name: string; kind: string } | undefined {
  const search = (group: object, prefix: string): { name: string; kind: string } | undefined => {
    for (const [name, entry] of Object.entries(group)) {
      const path = prefix ? `${prefix}.${name}` : name;
      if (!Array.isArray(entry)) {
        const found = search(entry as object, path);
        if (found) return found;
      } else if (entry[1] === operation.method && bare(entry[2]) === bare(operation.path)) return { name: path, kind: entry[0] };
    }
    return undefined;
  };
  return search(sdk, "");
}

// An id for the path: the parameter's example, else the one in the reply's example.
function idOf(operation: Operation, name: string): string {
  const answered = operation.answers[0]?.contents[0]?.examples[0]?.value as { data?: { id?: unknown; transactionId?: unknown } } | undefined;
  return String(exampleOf(operation, name) || (answered?.data?.id ?? answered?.data?.transactionId ?? name.toUpperCase()));
}

const firstBody = (operation: Operation): unknown => operation.bodies[0]?.examples[0]?.value;
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The example's value of a path parameter. */
export const exampleOf = (operation: Operation, name: string): string => {
  const parameter = operation.parameters.find((each) => each.name === name);
  const given = parameter?.example ?? parameter?.schema?.default;
  return given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given);
};

export const takesKey = (operation: Operation): boolean => operation.security.some(({ scheme }) => scheme === "apiKey");
const forUsersAlone = (operation: Operation): boolean => operation.security.length > 0 && !takesKey(operation);

/** A call with curl; undefined for webhooks and for operations without API keys. */
export function curlOf(operation: Operation): string | undefined {
  if (operation.isWebhook || forUsersAlone(operation)) return undefined;
  const path = operation.path.replace(anyParameter, (whole) => idOf(operation, whole.slice(1, -1)));
  const lines = [`curl -X ${operation.method} "$PIXLEDGER_URL${path}"`];
  if (takesKey(operation)) lines.push(`-H "Authorization: Bearer $PIXLEDGER_KEY"`);
  const body = firstBody(operation);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

/** A call with the Node SDK; undefined if it has none. */
export function nodeOf(operation: Operation): string | undefined {
  if (operation.isWebhook) return undefined;
  const found = sdkName(operation);
  if (!found || forUsersAlone(operation)) return undefined;
  const body = JSON.stringify(firstBody(operation) ?? {}, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
  const parameters: string[] = [];
  if (found.kind.startsWith("id")) parameters.push(JSON.stringify(idOf(operation, /\{(\w+)\}/.exec(operation.path)?.[1] ?? "id")));
  if (/body$/i.test(found.kind)) parameters.push(body);
  if (/page|query|feed/i.test(found.kind)) parameters.push(`{ ${queryExample(operation)} }`.replace("{  }", "{}"));
  return [
    "import { PixledgerClient } from '@pixledger/sdk';",
    "",
    "const client = new PixledgerClient({ apiKey: process.env.PIXLEDGER_KEY, baseUrl: process.env.PIXLEDGER_URL });",
    `const answer = await client.${found.name}(${parameters.join(", ")});`,
  ].join("\n");
}

function queryExample(operation: Operation): string {
  const { name } = operation.parameters.find((each) => each.in === "query" && exampleOf(operation, each.name)) ?? {};
  if (name === undefined) return "";
  return `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${JSON.stringify(exampleOf(operation, name))}`;
}
