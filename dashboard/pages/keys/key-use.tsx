import type { QuotaWindowName } from '../../api/schema-types.js';
import { Time } from '../../components/time.js';
import type { ApiKey } from './key-documents.js';
import { WindowMeter } from './window-meter.js';

export function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span class="quiet">Never</span> : <Time at={at} />;
}

/** Shows a window of an active key in a list: only those are counted. */
export function KeyWindow({ of: { state, quota }, name }: { of: ApiKey; name: QuotaWindowName }) {
  const window = quota.windows.find((one) => one.name === name);
  if (state !== 'active' || window === undefined) return <span class="quiet">–</span>;
  return <WindowMeter window={window} quota={quota} isLabelHidden />;
}
