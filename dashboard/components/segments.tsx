import { classNames } from './class-names.js';

export interface SegmentsProps<Value extends string> {
  /** Describes the choice, for screen readers: "Range". */
  label: string;
  options: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice among a few options, beside each other. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {(Object.entries(options) as [Value, string][]).map(([option, words]) => (
        <button
          key={option}
          type="button"
          class={classNames('segment', option === value && 'is-chosen')}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
