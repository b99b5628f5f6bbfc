import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Meter } from '../../components/meter.js';
import { Time } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { BusyKey } from './overview-documents.js';

/** Shows the keys with the most use today, and their remaining quota for the day. */
export function QuotaToday({ projectId, keys }: { projectId: string; keys: readonly BusyKey[] }) {
  return (
    <Card
      title="Quota today"
      description="The most used keys."
      actions={
        <ButtonLink isSmall href={addressOf.keys(projectId)}>
          All keys
        </ButtonLink>
      }
    >
      {keys.length === 0 && <p class="quiet">No API keys yet.</p>}
      {keys.map(({ id, name, quota }) =>
        quota.windows
          .filter((window) => window.name === 'day')
          .map(({ used, limit, resetAt }) => (
            <Meter
              key={id}
              label={name}
              value={used}
              max={limit}
              note={
                resetAt !== null && (
                  <>
                    Resets <Time at={resetAt} />
                  </>
                )
              }
            />
          )),
      )}
    </Card>
  );
}
