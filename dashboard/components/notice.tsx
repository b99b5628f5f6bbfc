import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export type Tone = 'neutral' | 'info' | 'good' | 'warn' | 'bad';

const ICONS: Record<Tone, IconName> = {
  neutral: 'info',
  info: 'info',
  good: 'check',
  warn: 'warning',
  bad: 'warning',
};

export interface NoticeProps {
  children: ComponentChildren;
  tone?: Tone;
  title?: ComponentChildren;
  /** Screen readers read it as soon as it appears. */
  isAlert?: boolean;
}

export function Notice({ children, tone = 'neutral', title, isAlert = false }: NoticeProps) {
  return (
    <div class={`notice tone-${tone}`} role={isAlert ? 'alert' : undefined}>
      <Icon name={ICONS[tone]} />
      <div class="notice-text">
        {title !== undefined && <strong class="notice-title">{title}</strong>}
        <div>{children}</div>
      </div>
    </div>
  );
}

/** Shows a state as one word. The dot only repeats it. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}
