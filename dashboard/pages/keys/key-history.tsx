import { FoldingCard } from '../../components/card.js';
import { Name } from '../../components/name.js';
import { Table } from '../../components/table.js';
import { TimeOfDay, When } from '../../components/time.js';
import { wordsOfAction, wordsOfProperty } from '../audit/audit-words.js';
import { after } from './key-changes.js';
import type { KeyChange } from './key-documents.js';

/** Shows the changes of the key and their actors, from the audit log; nothing if there are none in it. */
export function KeyHistory({ changes }: { changes: readonly KeyChange[] }) {
  const shown = changes.filter(({ action }) => !action.startsWith('session.'));
  if (shown.length === 0) return null;
  return (
    <FoldingCard title="Changes" description="The latest audit records about this key.">
      <Table
        caption="Changes of the key"
        rows={shown}
        shortTo={3}
        keyOf={({ id }) => id}
        columns={[
          { header: 'When', cell: ({ at }) => <When at={at} /> },
          { header: 'Change', cell: (change) => <What change={change} /> },
          {
            header: 'By',
            cell: ({ actorRole, actorKeyId, actorName }) => {
              const actor = actorName ?? actorKeyId;
              if (actor === null) return actorRole;
              return (
                <div class="named">
                  <Name>{actor}</Name>
                  <span class="quiet small">{actorRole}</span>
                </div>
              );
            },
          },
        ]}
      />
    </FoldingCard>
  );
}

function What({ change }: { change: KeyChange }) {
  switch (change.action) {
    case 'apiKey.update':
      return (
        <>
          Changed {change.changes.map(({ property }) => wordsOfProperty(property).toLowerCase()).join(', ')}
        </>
      );
    case 'apiKey.rotate':
      return <Rotated endsAt={after(change, 'oldSecretEndsAt')} at={change.at} />;
    default:
      return <>{wordsOfAction(change.action)}</>;
  }
}

function Rotated({ endsAt, at }: { endsAt: string | undefined; at: string }) {
  if (endsAt === undefined || Date.parse(endsAt) - Date.parse(at) < 1000)
    return <>Rotated. The old secret stopped working immediately.</>;
  return (
    <span>
      Rotated. The old secret {Date.parse(endsAt) > Date.now() ? 'works' : 'worked'} until{' '}
      <TimeOfDay at={endsAt} />.
    </span>
  );
}
