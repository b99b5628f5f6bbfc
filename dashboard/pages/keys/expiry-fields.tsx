import { Field, SelectField } from '../../components/field.js';
import { useFieldError } from '../../components/form.js';

type Lifetime = 'none' | '30' | '90' | '365' | 'date';

/** When a key expires. */
export interface Expiry {
  /** Days until the key expires, `none`, or `date` if the date applies. */
  lifetime: Lifetime;
  /** In the reader's time zone, in the format of the browser's field: `2026-12-24T18:00`. */
  date: string;
}

export const NO_EXPIRY: Expiry = { lifetime: 'none', date: '' };

/** The expiry of a key that exists, in the reader's time zone. */
export function expiryOf(expiresAt: string | null): Expiry {
  if (expiresAt === null) return NO_EXPIRY;
  const at = new Date(expiresAt);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return { lifetime: 'date', date: local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length) };
}

const DAY_MS = 86_400_000;

/**
 * Returns the time for the API; undefined for never. An invalid date is passed on unchanged, so that the API rejects
 * it.
 */
export function expiresAtOf({ lifetime, date }: Expiry, nowMs: number): string | undefined {
  if (lifetime === 'none') return undefined;
  if (lifetime !== 'date') return new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();
  const moment = new Date(date);
  return Number.isNaN(moment.getTime()) ? date : moment.toISOString();
}

export interface ExpiryFieldsProps {
  expiry: Expiry;
  onChange: (expiry: Expiry) => void;
}

export function ExpiryFields({ expiry, onChange }: ExpiryFieldsProps) {
  const { lifetime, date } = expiry;
  const error = useFieldError('expiresAt');
  return (
    <>
      <SelectField
        label="Expires"
        name={lifetime === 'date' ? 'lifetime' : 'expiresAt'}
        value={lifetime}
        choices={[
          { value: 'none', label: 'Never' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In 1 year' },
          { value: 'date', label: 'At a time that you choose' },
        ]}
        onChange={(chosen) => onChange({ ...expiry, lifetime: chosen })}
      />
      {lifetime === 'date' && (
        <Field
          label="Expires at"
          name="expiresAt"
          type="datetime-local"
          hint="In your time zone."
          value={date}
          onChange={(chosen) => onChange({ ...expiry, date: chosen })}
          error={error !== undefined && date === '' ? 'Choose a date and time' : undefined}
          isRequired
        />
      )}
    </>
  );
}
