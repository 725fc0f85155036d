import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type ApiError, mayHaveHappened, randomId, type Result } from "../app/api";
import { reasonText } from "../app/errors";
import { t } from "../app/i18n";
import { draftName, useSession } from "../app/session";
import { keep, kept } from "../app/store";
import { Problem } from "./states";

export type Fields = Record<string, string | boolean>;
export type FieldErrors = Record<string, string>;

export interface FormOptions<V extends Fields, T> {
  initial: V;
  // The name under which input survives a reload in this tab. Not for secrets.
  draft?: string;
  // Errors by field, checked before sending.
  check?(values: V): FieldErrors;
  // `key`: the Idempotency-Key, the same while the values are.
  send(values: V, key: string): Promise<Result<T>>;
  done(data: T, values: V): void;
  // Maps the API's field names to the form's; equal names need no entry.
  fieldOf?: Record<string, string>;
}

export interface Form<V extends Fields> {
  values: V;
  errors: FieldErrors;
  error: ApiError | null;
  busy: boolean;
  set<K extends keyof V>(name: K, value: V[K]): void;
  reset(): void;
  submit(event?: Event): void;
  element: { current: HTMLFormElement | null };
}

function draftOf<V extends Fields>(draft: string | undefined, initial: V): V {
  const text = draft && kept("session", draft);
  if (!text) return initial;
  try {
    return { ...initial, ...JSON.parse(text) };
  } catch {
    return initial;
  }
}

// A form that keeps its input whatever the call returns, and shows the API's errors at the fields.
export function useForm<V extends Fields, T>(options: FormOptions<V, T>): Form<V> {
  const { initial } = options;
  // The name as of opening: another project or environment may be shown when the call returns.
  const [draft] = useState(() => options.draft && draftName(options.draft));
  const [values, setValues] = useState<V>(() => draftOf(draft, initial));
  const [errors, setErrors] = useState<FieldErrors>({});
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const attempt = useRef({ sent: "", key: "" });
  const wrong = useRef(false);
  useEffect(() => {
    // Focuses the first invalid field after rendering.
    if (!wrong.current) return;
    wrong.current = false;
    element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  });
  const refuse = (found: FieldErrors) => {
    setErrors(found);
    wrong.current = Object.keys(found).length > 0;
  };
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (busy) return;
    setError(null);
    const found = options.check?.(values) ?? {};
    if (Object.keys(found).length) return refuse(found);
    setErrors({});
    setBusy(true);
    const sent = JSON.stringify(values);
    if (attempt.current.sent !== sent) attempt.current = { sent, key: randomId() };
    const result = await options.send(values, attempt.current.key);
    setBusy(false);
    if (result.ok) {
      attempt.current = { sent: "", key: "" };
      if (draft) keep("session", draft, null);
      return options.done(result.data, values);
    }
    // The next attempt is a new act, unless this one may have happened.
    if (!mayHaveHappened(result.error)) attempt.current = { sent: "", key: "" };
    const byField: FieldErrors = {};
    for (const violation of result.error.details) {
      const name = options.fieldOf?.[violation.field] ?? violation.field;
      if (name in values) byField[name] = reasonText(violation);
    }
    refuse(byField);
    const left = result.error.details.filter(({ field }) => !((options.fieldOf?.[field] ?? field) in values));
    if (left.length || !Object.keys(byField).length) setError({ ...result.error, details: left });
  };
  return {
    values,
    errors,
    error,
    busy,
    element,
    set(name, value) {
      setValues((last) => {
        const next = { ...last, [name]: value };
        if (draft) keep("session", draft, JSON.stringify(next));
        return next;
      });
      if (errors[name as string]) setErrors(({ [name as string]: _, ...others }) => others);
    },
    reset() {
      setValues(initial);
      setErrors({});
      setError(null);
      if (draft) keep("session", draft, null);
    },
    submit: (event) => void submit(event),
  };
}

export function FormBox<V extends Fields>({ form, children, label }: { form: Form<V>; children: ComponentChildren; label?: string }) {
  return (
    <form ref={form.element} class="form" noValidate onSubmit={form.submit} aria-label={label}>
      {form.error && <Problem error={form.error} />}
      {children}
    </form>
  );
}

interface FieldFrame {
  label: string;
  hint?: ComponentChildren;
  error?: string;
  optional?: boolean;
}

function Frame({ id, label, hint, error, optional, children }: FieldFrame & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="soft"> ({t("optional")})</span>}
      </label>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

const described = (id: string, hint: unknown, error: unknown) =>
  [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;

export interface TextFieldProps extends FieldFrame {
  name: string;
  value: string;
  onInput(value: string): void;
  type?: "text" | "email" | "tel" | "password" | "search" | "date" | "datetime-local" | "url" | "number";
  inputMode?: "text" | "numeric" | "decimal" | "tel" | "email" | "url" | "search";
  autoComplete?: string;
  maxLength?: number;
  rows?: number;
  prefix?: string;
  placeholder?: string;
  list?: string; // a datalist's id
  autoFocus?: boolean;
}

export function TextField({ label, hint, error, optional, name, value, onInput, type = "text", rows, prefix, autoFocus, ...rest }: TextFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  const common = {
    id,
    name,
    value,
    ref: input,
    "aria-invalid": error ? ("true" as const) : undefined,
    "aria-describedby": described(id, hint, error),
    "aria-required": optional === false ? ("true" as const) : undefined,
    spellcheck: false,
    onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
    ...rest,
  };
  const box = rows ? <textarea rows={rows} {...(common as object)} /> : <input {...({ ...common, type } as object)} />;
  return (
    <Frame id={id} label={label} hint={hint} error={error} optional={optional}>
      {prefix ? (
        <div class="prefixed">
          <span aria-hidden="true">{prefix}</span>
          {box}
        </div>
      ) : (
        box
      )}
    </Frame>
  );
}

export interface SelectFieldProps extends FieldFrame {
  name: string;
  value: string;
  onInput(value: string): void;
  choices: readonly (readonly [string, string])[];
}

export function SelectField({ label, hint, error, optional, name, value, onInput, choices }: SelectFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error} optional={optional}>
      <select
        id={id}
        name={name}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={described(id, hint, error)}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {choices.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export interface CheckFieldProps {
  label: string;
  name: string;
  checked: boolean;
  onInput(checked: boolean): void;
  hint?: string;
  // The id of the error's element.
  wrong?: string;
}

export function CheckField({ label, name, checked, onInput, hint, wrong }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check">
      <input id={id} type="checkbox" name={name} checked={checked} aria-invalid={wrong ? "true" : undefined} aria-describedby={wrong ?? described(id, hint, undefined)} onChange={(event) => onInput(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

// A text field's props for a form: value, error and change handler.
export const bound = <V extends Fields>(form: Form<V>, name: keyof V & string) => ({
  name,
  value: String(form.values[name] ?? ""),
  error: form.errors[name],
  onInput: (value: string) => form.set(name, value as V[typeof name]),
});

// For password managers: the user of a form that does not ask for the name.
export function UsernameHint() {
  const user = useSession().signIn?.user;
  return user ? <input type="email" autoComplete="username" value={user.email} hidden readOnly /> : null;
}
