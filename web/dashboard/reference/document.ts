// The parts of an OpenAPI 3.1 document that the reference shows.

export interface Schema {
  $ref?: string;
  type?: string | (string | null)[];
  description?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}
export interface Reference {
  $ref: string;
}
export interface Example {
  summary?: string;
  value: unknown;
}
export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example | Reference>;
}
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}
export interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}
export interface RawOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
}
export interface OpenapiDocument {
  info: { title: string; version: string; description: string };
  // `title`: of translations; the name is what operations refer to.
  tags: { name: string; title?: string; description: string }[];
  security?: Record<string, string[]>[];
  paths: Record<string, Record<string, RawOperation>>;
  webhooks?: Record<string, Record<string, RawOperation>>;
  components: Record<string, Record<string, unknown>>;
}

const twin = /^x-pt-(.+)$/;

/** The document with its Portuguese texts, which stand beside the English ones: "x-pt-summary" beside "summary". */
export function inPortuguese<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inPortuguese) as T;
  if (value === null || typeof value !== "object") return value;
  const texts: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const translated = twin.exec(name)?.[1];
    // A tag's name stays what operations refer to.
    if (translated) texts[translated === "name" ? "title" : translated] = each;
    else others[name] = inPortuguese(each);
  }
  return { ...others, ...texts } as T;
}

/** The target of a reference; any other value is returned itself. */
export function resolve<T extends object>(document: OpenapiDocument, value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const found = value.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((each, name) => (each as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  return resolve(document, found as T);
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);
