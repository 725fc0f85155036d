// Makes build/dashboard/api_types.ts from the API's document, where the compiler finds it beside web/dashboard. The bundle
// has no types, so nothing else needs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Document } from "../../../scripts/lib/reference/openapi.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const folder = join(root, "build/dashboard");

export const documentOf = () => new Document(root).json;

const nameOf = (reference) => reference.split("/").at(-1);
const quoted = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const union = (types) => [...new Set(types)].join(" | ");
const bracketed = (type) => (/[|&]/.test(type) ? `(${type})` : type);

function objectOf(schema, indent) {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).map(
    ([name, each]) => `${inner}${quoted(name)}${required.has(name) ? "" : "?"}: ${typeOf(each, inner)};`);
  // What is required here and described beside it.
  for (const name of required) if (!(name in (schema.properties ?? {}))) lines.push(`${inner}${quoted(name)}: unknown;`);
  if (!lines.length) {
    if (schema.maxProperties === 0 || schema.additionalProperties === false) return "Record<string, never>";
    const values = schema.additionalProperties;
    return `Record<string, ${values && typeof values === "object" ? typeOf(values, indent) : "unknown"}>`;
  }
  return `{\n${lines.join("\n")}\n${indent}}`;
}

export function typeOf(schema, indent = "") {
  if (schema === true) return "unknown";
  if (schema.$ref) return nameOf(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((each) => JSON.stringify(each)));
  const parts = [];
  if (schema.properties || (schema.type === "object" && !schema.allOf && !schema.oneOf)) parts.push(objectOf(schema, indent));
  for (const each of schema.allOf ?? []) parts.push(bracketed(typeOf(each, indent)));
  const choices = schema.oneOf ?? (schema.type && schema.type !== "object" ? undefined : schema.anyOf);
  if (choices) parts.push(bracketed(union(choices.map((each) => typeOf(each, indent)))));
  if (parts.length) return parts.join(" & ");
  const simple = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };
  const types = [schema.type ?? []].flat().map((type) => {
    if (type === "array") return `${bracketed(schema.items ? typeOf(schema.items, indent) : "unknown")}[]`;
    return type === "object" ? objectOf(schema, indent) : simple[type];
  });
  return types.length ? union(types) : "unknown";
}

export function typesOf(document) {
  const lines = ["// The API's schemas, made from http/openapi by tests/web/dashboard/api_types.mjs.", ""];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const type = typeOf(schema);
    lines.push(type.startsWith("{") && type.indexOf("\n}") === type.length - 2
      ? `export interface ${name} ${type}` : `export type ${name} = ${type};`, "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

export function writeTypes() {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "api_types.ts"), typesOf(documentOf()));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeTypes();
