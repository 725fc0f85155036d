// Schemas as readable rows: a field's name, type, limits and nested fields.
import { nameOf, type OpenapiDocument, resolve, type Schema } from "./document";

export interface Shape {
  type: string;
  description: string;
  limits: string[];
  fields: Field[];
  // Alternatives, each with its own fields.
  variants: { name: string; shape: Shape }[];
}
export interface Field extends Shape {
  name: string; // "" if the caller chooses it
  path: string; // "data[].customer.name"
  required: boolean;
}

const depthMax = 12; // of nested schemas; the document's are not recursive

const union = (a: string[] = [], b: string[] = []): string[] => [...new Set([...a, ...b])];

// Both schemas combined: all fields, and for common fields the limits of both.
function both(a: Schema, b: Schema): Schema {
  const properties: Record<string, Schema> = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties ?? {}))
    properties[name] = properties[name] ? { allOf: [properties[name], schema] } : schema;
  const merged: Schema = { ...a, ...b, required: union(a.required, b.required) };
  const descriptions = union([a.description ?? ""], [b.description ?? ""]).filter(Boolean);
  if (descriptions.length > 0) merged.description = descriptions.join(" ");
  if (Object.keys(properties).length > 0) merged.properties = properties;
  return merged;
}

/** The schema with references and allOf resolved; its own description precedes theirs. */
export function merged(document: OpenapiDocument, schema: Schema): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const parts = [...($ref === undefined ? [] : [resolve<Schema>(document, { $ref })]), ...allOf].map((part) => merged(document, part));
  const whole = [...parts, own].reduce(both, {});
  return own.description === undefined ? whole : { ...whole, description: own.description };
}

const shown = (value: unknown): string => JSON.stringify(value);

function limitsOf(schema: Schema): string[] {
  const names = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties", "pattern", "default"] as const;
  const limits = names.filter((name) => schema[name] !== undefined).map((name) => `${name}: ${name === "pattern" ? schema.pattern : shown(schema[name])}`);
  if (schema.uniqueItems) limits.push("uniqueItems");
  if (schema.enum) limits.push(schema.enum.map(shown).join(" | "));
  if (schema.propertyNames?.pattern) limits.push(`propertyNames: ${schema.propertyNames.pattern}`);
  return limits;
}

const typesOf = ({ type }: Schema): string[] => (Array.isArray(type) ? type.map(String) : type === undefined ? [] : [type]);

function typeOf(document: OpenapiDocument, schema: Schema): string {
  if (schema.const !== undefined) return shown(schema.const);
  const types = typesOf(schema);
  const names = types.map((type) => {
    if (type === "array") return `${schema.items ? typeOf(document, merged(document, schema.items)) : "any"}[]`;
    return type === "string" && schema.format ? `string (${schema.format})` : type;
  });
  const among = schema.oneOf ?? schema.anyOf;
  if (!among) return names.join(" | ") || (schema.enum ? [...new Set(schema.enum.map((each) => (each === null ? "null" : typeof each)))].join(" | ") : "any");
  // Alternatives that are not objects are listed in a word each.
  const others = among.map((each) => merged(document, each));
  if (others.some(isDeep)) return "object";
  return union([], others.map((each) => (each.format ? `string (${each.format})` : each.pattern ? `string ${each.pattern}` : typeOf(document, each)))).join(" | ");
}

const isDeep = ({ properties, items, additionalProperties, oneOf, anyOf }: Schema): boolean =>
  properties !== undefined || items !== undefined || typeof additionalProperties === "object" || oneOf !== undefined || anyOf !== undefined;

// A variant's name: its schema's name, else its fixed values.
function variantName(document: OpenapiDocument, schema: Schema, index: number): string {
  const named = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (named !== undefined) return nameOf(named);
  const fixed = Object.entries(merged(document, schema).properties ?? {}).filter(([, each]) => each.const !== undefined);
  return fixed.map(([name, each]) => `${name}: ${shown(each.const)}`).join(", ") || String(index + 1);
}

function fieldsOf(document: OpenapiDocument, schema: Schema, path: string, depth: number): Field[] {
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  const fields = Object.entries(schema.properties ?? {}).map(([name, each]): Field => {
    const shape = shapeOf(document, each, at(name), depth + 1);
    return { ...shape, name, path: at(name), required: schema.required?.includes(name) ?? false };
  });
  if (typeof schema.additionalProperties === "object") {
    const shape = shapeOf(document, schema.additionalProperties, at("*"), depth + 1);
    fields.push({ ...shape, name: "", path: at("*"), required: false });
  }
  return fields;
}

/** The shape of the value at `path` according to a schema. */
export function shapeOf(document: OpenapiDocument, given: Schema, path = "", depth = 0): Shape {
  const schema = merged(document, given);
  const shape: Shape = { type: typeOf(document, schema), description: schema.description ?? "", limits: limitsOf(schema), fields: [], variants: [] };
  if (depth > depthMax) return shape;
  shape.fields = fieldsOf(document, schema, path, depth);
  if (schema.items) {
    const item = shapeOf(document, schema.items, `${path}[]`, depth + 1);
    shape.fields.push(...item.fields);
    shape.variants.push(...item.variants);
    shape.limits.push(...item.limits);
    if (!shape.description) shape.description = item.description;
  }
  const among = (schema.oneOf ?? schema.anyOf ?? []).map((each, index) => ({ each, index }));
  for (const { each, index } of among) {
    if (!isDeep(merged(document, each))) continue;
    shape.variants.push({ name: variantName(document, each, index), shape: shapeOf(document, each, path, depth + 1) });
  }
  return shape;
}

