// The document's operations as the reference shows them.
import { type Example, type Media, type OpenapiDocument, type Parameter, type RawOperation, type Reference, resolve, type Response, type Schema } from "./document";
import { merged } from "./fields";

export interface ShownExample {
  name: string;
  summary: string;
  value: unknown;
}
export interface Content {
  type: string;
  schema: Schema | undefined;
  examples: ShownExample[];
}
export interface Answer {
  status: string;
  description: string;
  headers: string[];
  contents: Content[];
  // The error codes of the reply, if it is an error.
  codes: string[];
}
export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  isWebhook: boolean;
  // The allowed callers: security schemes with their scopes; empty: no credential needed.
  security: { scheme: string; scopes: string[] }[];
  parameters: Parameter[];
  bodyRequired: boolean;
  bodies: Content[];
  answers: Answer[];
}

const methods = ["get", "post", "put", "patch", "delete"];

function examplesOf(document: OpenapiDocument, media: Media): ShownExample[] {
  const named = Object.entries(media.examples ?? {}).map(([name, given]): ShownExample => {
    const { summary = "", value } = resolve<Example>(document, given as Example | Reference);
    return { name, summary, value };
  });
  return media.example === undefined ? named : [{ name: "", summary: "", value: media.example }, ...named];
}

const contentsOf = (document: OpenapiDocument, content: Record<string, Media> = {}): Content[] =>
  Object.entries(content).map(([type, media]) => ({ type, schema: media.schema, examples: examplesOf(document, media) }));

// The codes in an error's schema, else those in its examples.
function codesOf(document: OpenapiDocument, contents: Content[]): string[] {
  const codes = new Set<string>();
  for (const { schema, examples } of contents) {
    const code = schema && merged(document, schema).properties?.code;
    for (const each of (code && merged(document, code).enum) ?? []) codes.add(String(each));
    for (const { value } of examples) {
      const given = (value as { code?: unknown } | null)?.code;
      if (typeof given === "string") codes.add(given);
    }
  }
  return [...codes];
}

function answerOf(document: OpenapiDocument, status: string, given: Response | Reference): Answer {
  const { description, headers = {}, content } = resolve<Response>(document, given);
  const contents = contentsOf(document, content);
  const isRefusal = !status.startsWith("2");
  return { status, description, headers: Object.keys(headers), contents, codes: isRefusal ? codesOf(document, contents) : [] };
}

function operationOf(document: OpenapiDocument, method: string, path: string, raw: RawOperation, isWebhook: boolean): Operation {
  const security = raw.security ?? document.security ?? [];
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    tag: raw.tags[0] ?? "",
    summary: raw.summary,
    description: raw.description ?? "",
    isWebhook,
    security: security.flatMap((each) => Object.entries(each).map(([scheme, scopes]) => ({ scheme, scopes }))),
    parameters: (raw.parameters ?? []).map((each) => resolve<Parameter>(document, each)),
    bodyRequired: raw.requestBody?.required ?? false,
    bodies: contentsOf(document, raw.requestBody?.content),
    answers: Object.entries(raw.responses).map(([status, given]) => answerOf(document, status, given)),
  };
}

/** All operations in the document's order; webhooks last. */
export function operationsOf(document: OpenapiDocument): Operation[] {
  const read = (paths: OpenapiDocument["paths"], isWebhook: boolean) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => methods.includes(method))
        .map(([method, raw]) => operationOf(document, method, path, raw, isWebhook)),
    );
  return [...read(document.paths, false), ...read(document.webhooks ?? {}, true)];
}

const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// Collects the names of all fields in a schema, for the search.
function namesIn(document: OpenapiDocument, schema: Schema | undefined, into: Set<string>, depth = 0): void {
  if (!schema || depth > 8) return;
  const whole = merged(document, schema);
  for (const [name, each] of Object.entries(whole.properties ?? {})) {
    into.add(name);
    namesIn(document, each, into, depth + 1);
  }
  for (const each of [whole.items, ...(whole.oneOf ?? []), ...(whole.anyOf ?? [])]) namesIn(document, each, into, depth + 1);
}

/** The text that a search matches: names of the operation, its fields and errors, without case and accents. */
export function searchText(document: OpenapiDocument, operation: Operation): string {
  const names = new Set<string>();
  for (const { name } of operation.parameters) names.add(name);
  for (const { schema } of operation.bodies) namesIn(document, schema, names);
  for (const { contents, codes, status } of operation.answers) {
    names.add(status);
    for (const code of codes) names.add(code);
    if (status.startsWith("2")) for (const { schema } of contents) namesIn(document, schema, names);
  }
  return plain([operation.id, operation.method, operation.path, operation.tag, operation.summary, operation.description, ...names].join(" "));
}

export const fits = (text: string, words: string): boolean =>
  plain(words)
    .split(/\s+/)
    .every((word) => text.includes(word));
