import { Badge } from '../../components/notice.js';
import { BanBadge } from './ban-badge.js';
import type { ApiKey } from './key-documents.js';
import { STATE_WORDS } from './key-words.js';

/** Shows whether a key can be used: its state, and its ban if there is one. */
export function KeyState({ apiKey: { state, quota } }: { apiKey: ApiKey }) {
  const { word, tone } = STATE_WORDS[state];
  return (
    <span class="key-state">
      {(quota.ban === null || state !== 'active') && <Badge tone={tone}>{word}</Badge>}
      {quota.ban !== null && <BanBadge until={quota.ban.until} />}
    </span>
  );
}
