import { Field } from '../../components/field.js';

export interface OriginsFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** The origins that may use a browser key, as one text. */
export function OriginsField({ value, onChange }: OriginsFieldProps) {
  return (
    <Field
      label="Allowed origins"
      name="allowedOrigins"
      hint="Scheme, host and port, without a slash at the end. Separate several origins with spaces."
      placeholder="https://shop.example http://localhost:5173"
      value={value}
      onChange={onChange}
      isRequired
    />
  );
}

export function originsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
