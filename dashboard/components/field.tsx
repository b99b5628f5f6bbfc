import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Labelled {
  label: string;
  /** Says what to enter, below the label. */
  hint?: ComponentChildren;
  /** The error of the field; undefined if there is none. */
  error?: string | undefined;
}

export interface FieldProps extends Labelled {
  /** The field's name in the API. */
  name: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'number' | 'search' | 'datetime-local';
  placeholder?: string;
  isRequired?: boolean;
  /** Takes the focus when it appears, for example as the first field of a dialog. */
  takesFocus?: boolean;
  maxLength?: number;
}

export function Field(props: FieldProps) {
  const { name, value, onChange, type = 'text', placeholder, isRequired = false, maxLength } = props;
  const { ids, describedBy } = useIds(props);
  return (
    <Labels {...props} ids={ids}>
      <input
        id={ids.input}
        class="input"
        name={name}
        {...inputType(type)}
        value={value}
        placeholder={placeholder}
        required={isRequired}
        maxLength={maxLength}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        autofocus={props.takesFocus ?? false}
        aria-invalid={props.error !== undefined}
        aria-describedby={describedBy}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Labels>
  );
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
}

export interface SelectFieldProps<Value extends string> extends Labelled {
  name: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { name, value, choices, onChange } = props;
  const { ids, describedBy } = useIds(props);
  return (
    <Labels {...props} ids={ids}>
      <select
        id={ids.input}
        class="input"
        name={name}
        value={value}
        aria-invalid={props.error !== undefined}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Labels>
  );
}

/** The type definitions of inputs accept only one literal type at a time. */
export function inputType(type: string): { type: 'text' } {
  return { type } as { type: 'text' };
}

interface Ids {
  input: string;
  hint: string;
  error: string;
}

function useIds({ hint, error }: Labelled): { ids: Ids; describedBy: string | undefined } {
  const input = useId();
  const ids = { input, hint: `${input}-hint`, error: `${input}-error` };
  const described = [hint !== undefined && ids.hint, error !== undefined && ids.error].filter(Boolean);
  return { ids, describedBy: described.length > 0 ? described.join(' ') : undefined };
}

function Labels({ label, hint, error, ids, children }: Labelled & { ids: Ids; children: ComponentChildren }) {
  return (
    <div class="field">
      <label class="field-label" for={ids.input}>
        {label}
      </label>
      {hint !== undefined && (
        <p class="field-hint" id={ids.hint}>
          {hint}
        </p>
      )}
      {children}
      {error !== undefined && (
        <p class="field-error" id={ids.error} role="alert">
          {sentence(error)}
        </p>
      )}
    </div>
  );
}

/** Makes a sentence of the API's message about a field, such as `must not be blank`, to show below the label. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}
