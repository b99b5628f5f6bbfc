import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { Time, When } from '../../components/time.js';
import type { ApiKey, KeyChange } from './key-documents.js';
import { oldSecretOf } from './key-changes.js';
import { KeyState } from './key-state.js';
import { ROLE_WORDS } from './key-words.js';

export interface KeyFactsProps {
  apiKey: ApiKey;
  changes: readonly KeyChange[];
}

export function KeyFacts({ apiKey, changes }: KeyFactsProps) {
  const { id, start, role, allowedOrigins, createdAt, expiresAt, lastUsedAt } = apiKey;
  const oldSecret = apiKey.state === 'active' ? oldSecretOf(changes, Date.now()) : undefined;
  return (
    <Card title="Details">
      <dl class="facts facts-wide">
        <dt>State</dt>
        <dd>
          <KeyState apiKey={apiKey} />
        </dd>
        <dt>Role</dt>
        <dd>{ROLE_WORDS[role]}</dd>
        <dt>Secret</dt>
        <dd class="mono">{start}…</dd>
        {oldSecret !== undefined && (
          <>
            <dt>Old secret</dt>
            <dd>
              {oldSecret.start !== null && <span class="mono">{oldSecret.start}… </span>}
              works until <When at={oldSecret.endsAt} />
            </dd>
          </>
        )}
        {allowedOrigins.length > 0 && (
          <>
            <dt>Origins</dt>
            <dd>
              <ul>
                {allowedOrigins.map((origin) => (
                  <li key={origin} class="whole">
                    {origin}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <When at={createdAt} />
        </dd>
        <dt>Expires</dt>
        <dd>{expiresAt === null ? 'Never' : <When at={expiresAt} />}</dd>
        <dt>Last used</dt>
        <dd>{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />}</dd>
        <dt>ID</dt>
        <dd class="copied">
          <span class="mono">{id}</span>
          <CopyButton value={id} what="key ID" />
        </dd>
      </dl>
    </Card>
  );
}
