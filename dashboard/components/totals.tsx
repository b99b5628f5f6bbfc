import { formatCount } from './format-count.js';

export interface Total {
  word: string;
  count: number;
  /** Shows the share of this whole too. */
  of?: number;
  /** Warns if the count is not 0. */
  isFault?: boolean;
}

/** Shows a few numbers in large type. */
export function Totals({ totals }: { totals: readonly Total[] }) {
  return (
    <dl class="totals">
      {totals.map(({ word, count, of = 0, isFault = false }) => (
        <div key={word}>
          <dt>{word}</dt>
          <dd class={isFault && count > 0 ? 'is-fault' : undefined}>
            {formatCount(count)}
            {count > 0 && of > 0 && <span class="quiet small"> {shareOf(count, of)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function shareOf(count: number, of: number): string {
  const percent = (count / of) * 100;
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}
