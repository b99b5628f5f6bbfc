import { Meter } from '../../components/meter.js';
import { Notice } from '../../components/notice.js';
import { AtTime } from '../../components/time.js';
import type { QuotaUse, QuotaWindow } from './key-documents.js';
import { WINDOW_WORDS } from './key-words.js';

/** Whether the quota counts a request. Usage shows it up to a minute later. */
export function isUsed({ windows }: QuotaUse): boolean {
  return windows.some(({ used }) => used > 0);
}

export interface WindowMeterProps {
  window: QuotaWindow;
  /** The quota that has the window. */
  quota: QuotaUse;
  isLabelHidden?: boolean;
  /** Shows when the window resets, in the reader's time zone. */
  hasReset?: boolean;
}

/** Shows how much of a window is used: unknown while the quota store is down, when `used` is the count of one process. */
export function WindowMeter({ window, quota, isLabelHidden = false, hasReset = false }: WindowMeterProps) {
  const { name, limit, used, resetAt } = window;
  const { isStoreDown } = quota;
  return (
    <Meter
      label={WINDOW_WORDS[name]}
      value={isStoreDown ? null : used}
      max={limit}
      isLabelHidden={isLabelHidden}
      note={hasReset && !isStoreDown && <Reset at={resetAt} />}
    />
  );
}

function Reset({ at }: { at: string | null }) {
  if (at === null) return <>Starts on next request</>;
  return (
    <>
      Resets <AtTime at={at} />
    </>
  );
}

/** Says why the meters of these quotas show dashes, if they do. */
export function StoreDownNotice({ quotas }: { quotas: readonly QuotaUse[] }) {
  if (!quotas.some(({ isStoreDown }) => isStoreDown)) return null;
  return (
    <Notice tone="warn">
      The quota store is down, so used requests are unknown. Each gateway applies its share of the limits.
    </Notice>
  );
}
