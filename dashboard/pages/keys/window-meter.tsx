import { Meter } from '../../components/meter.js';
import { AtTime } from '../../components/time.js';
import type { QuotaWindow } from './key-documents.js';
import { WINDOW_WORDS } from './key-words.js';

/** Whether the quota counts a request. Usage shows it up to a minute later. */
export function isUsed({ windows }: { windows: readonly QuotaWindow[] }): boolean {
  return windows.some(({ used }) => used > 0);
}

/** Shows how much of a window is used and when it resets, in the reader's time zone. */
export function WindowMeter({ window }: { window: QuotaWindow }) {
  const { name, limit, used, resetAt } = window;
  return (
    <Meter
      label={WINDOW_WORDS[name]}
      value={used}
      max={limit}
      note={
        resetAt === null ? (
          'Starts on next request'
        ) : (
          <>
            Resets <AtTime at={resetAt} />
          </>
        )
      }
    />
  );
}
