// The fields of a schema as nested lists.
import { t } from "../app/i18n";
import { Badge } from "../components/text";
import type { OpenapiDocument, Parameter, Schema } from "./document";
import { type Field, shapeOf, type Shape } from "./fields";
import { Line } from "./prose";

const Limits = ({ limits }: { limits: string[] }) =>
  limits.length > 0 ? (
    <p class="limits soft small">
      {limits.map((limit) => (
        <code key={limit}>{limit}</code>
      ))}
    </p>
  ) : null;

function FieldItem({ field }: { field: Field }) {
  return (
    <li data-field={field.path}>
      <p class="field-head">
        <code class="strong">{field.name || t("docAnyName")}</code> <span class="soft small">{field.type}</span>{" "}
        {field.required && <Badge tone="info">{t("docRequired")}</Badge>}
      </p>
      {field.description && (
        <p>
          <Line text={field.description} />
        </p>
      )}
      <Limits limits={field.limits} />
      <Inside shape={field} />
    </li>
  );
}

// The content of a value. Of several variants only the first is unfolded.
function Inside({ shape }: { shape: Shape }) {
  return (
    <>
      {shape.fields.length > 0 && (
        <ul class="schema-fields">
          {shape.fields.map((each) => (
            <FieldItem key={each.path} field={each} />
          ))}
        </ul>
      )}
      {shape.variants.map(({ name, shape: variant }, i) => (
        <details key={name} class="variant" open={i === 0 || undefined}>
          <summary>
            {t("docOneForm")} <code>{name}</code>
          </summary>
          {variant.description && (
            <p>
              <Line text={variant.description} />
            </p>
          )}
          <Inside shape={variant} />
        </details>
      ))}
    </>
  );
}

export function SchemaFields({ document, schema }: { document: OpenapiDocument; schema: Schema }) {
  const shape = shapeOf(document, schema);
  const isPlain = shape.fields.length === 0 && shape.variants.length === 0;
  return isPlain ? <p class="soft">{shape.type}</p> : <Inside shape={shape} />;
}

/** Parameters of one kind: path, query or header. */
export const ParameterFields = ({ document, parameters }: { document: OpenapiDocument; parameters: Parameter[] }) => (
  <ul class="schema-fields">
    {parameters.map(({ name, required = false, description = "", schema = {} }) => {
      const shape = shapeOf(document, schema, name);
      return <FieldItem key={name} field={{ ...shape, name, path: name, required, description: description || shape.description }} />;
    })}
  </ul>
);
