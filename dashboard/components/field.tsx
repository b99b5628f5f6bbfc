import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useFieldError } from './form.js';

interface Labelled {
  label: ComponentChildren;
  /** Says what to enter, below the label. */
  hint?: ComponentChildren;
  /** Shown instead of the API's message about the field. */
  error?: string | undefined;
}

export interface FieldProps extends Labelled {
  /** The field's name in the API. */
  name: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'number' | 'search' | 'date' | 'datetime-local';
  placeholder?: string;
  isRequired?: boolean;
  /** Takes the focus when it appears, for example as the first field of a dialog. */
  takesFocus?: boolean;
  maxLength?: number;
}

export function Field(props: FieldProps) {
  const { name, value, onChange, type = 'text', placeholder, isRequired = false, maxLength } = props;
  const described = useDescription(props);
  return (
    <Labels {...props} {...described}>
      <input
        {...described.input}
        class="input"
        // People write names in their own direction.
        dir="auto"
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
  const described = useDescription(props);
  return (
    <Labels {...props} {...described}>
      <select
        {...described.input}
        class="input"
        name={name}
        value={value}
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

export interface FilesFieldProps extends Labelled {
  name: string;
  isFolder?: boolean;
  /** File types, as in the attribute `accept`. */
  accept?: string;
  takesFocus?: boolean;
  onChoose: (files: readonly File[]) => void;
}

/** Chooses one file, or all files of a folder. */
export function FilesField(props: FilesFieldProps) {
  const { name, isFolder = false, accept, takesFocus = false, onChoose } = props;
  const described = useDescription(props);
  return (
    <Labels {...props} {...described}>
      <input
        {...described.input}
        class="input"
        type="file"
        name={name}
        autofocus={takesFocus}
        {...(isFolder ? { webkitdirectory: true } : { accept })}
        onChange={({ currentTarget }) => onChoose([...(currentTarget.files ?? [])])}
      />
    </Labels>
  );
}

interface Description {
  /** Attributes of the input. */
  input: { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined };
  hintId: string;
  errorId: string;
  error: string | undefined;
}

/** Connects an input with its hint and its error. */
function useDescription(field: Labelled & { name: string }): Description {
  const fromApi = useFieldError(field.name);
  const error = field.error ?? fromApi;
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const described = [field.hint !== undefined && hintId, error !== undefined && errorId].filter(Boolean);
  const describedBy = described.length > 0 ? described.join(' ') : undefined;
  return {
    input: { id, 'aria-invalid': error !== undefined, 'aria-describedby': describedBy },
    hintId,
    errorId,
    error,
  };
}

interface LabelsProps extends Description {
  label: ComponentChildren;
  hint?: ComponentChildren;
  children: ComponentChildren;
}

function Labels({ label, hint, input, hintId, errorId, error, children }: LabelsProps) {
  return (
    <div class="field">
      <label class="field-label" for={input.id}>
        {label}
      </label>
      {hint !== undefined && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
      {children}
      {error !== undefined && (
        <p class="field-error" id={errorId} role="alert">
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
