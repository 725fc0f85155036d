import { useId } from "preact/hooks";
import { CheckField } from "./form";

export interface ChoicesProps<K extends string> {
  legend: string;
  hint?: string;
  error?: string;
  of: readonly (readonly [K, string])[];
  chosen: readonly K[];
  onChange(chosen: K[]): void;
}

// A multiple choice as checkboxes.
export function Choices<K extends string>({ legend, hint, error, of, chosen, onChange }: ChoicesProps<K>) {
  const id = useId();
  return (
    <fieldset aria-describedby={error ? id : undefined}>
      <legend>{legend}</legend>
      {hint && <p class="hint">{hint}</p>}
      <div class="check-grid">
        {of.map(([key, text], index) => (
          <CheckField
            key={key}
            name={key}
            label={text}
            wrong={error !== undefined && index === 0 ? id : undefined}
            checked={chosen.includes(key)}
            onInput={(checked) => onChange(of.map(([each]) => each).filter((each) => (each === key ? checked : chosen.includes(each))))}
          />
        ))}
      </div>
      {error && (
        <p class="field-error" id={id}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
