import type { ComponentChildren } from 'preact';
import { formatCount } from './format-count.js';

export interface MeterProps {
  label: string;
  /** Null if unknown: there is no bar then. */
  value: number | null;
  max: number;
  /** Shows the label to screen readers only, for example below the header of a table. */
  isLabelHidden?: boolean;
  /** Below the bar, for example the time of the reset. */
  note?: ComponentChildren;
}

/** Shows how much of a quota is used. It warns from 80 % on and is full at 100 %, in words as well as by colour. */
export function Meter({ label, value, max, isLabelHidden = false, note }: MeterProps) {
  const share = value !== null && max > 0 ? Math.min(value / max, 1) : 0;
  const text = `${value === null ? '–' : formatCount(value)} of ${formatCount(max)}`;
  return (
    <div class={`meter meter-${levelOf(share)}`}>
      <div class="meter-head">
        {!isLabelHidden && <span>{label}</span>}
        <span class="meter-numbers">
          {text}
          {share >= 0.8 && <strong>{share >= 1 ? ', used up' : ', nearly used up'}</strong>}
        </span>
      </div>
      {value !== null && (
        <div
          class="meter-track"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={max}
          aria-valuenow={Math.min(value, max)}
          aria-valuetext={`${text} used`}
        >
          <div class="meter-fill" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {note && <p class="meter-note">{note}</p>}
    </div>
  );
}

function levelOf(share: number): 'full' | 'high' | 'fine' {
  if (share >= 1) return 'full';
  return share >= 0.8 ? 'high' : 'fine';
}
