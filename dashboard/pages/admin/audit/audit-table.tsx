import { useSession } from '../../../api/session-context.js';
import { Table } from '../../../components/table.js';
import { When } from '../../../components/time.js';
import { addressOf } from '../../../shell/addresses.js';
import type { AuditRecord, KeyName } from './audit-documents.js';
import { wordsOfAction } from './audit-words.js';
import { Changes } from './changes.js';

export function AuditTable({ records }: { records: readonly AuditRecord[] }) {
  return (
    <Table
      caption="Audit log"
      rows={records}
      keyOf={({ id }) => id}
      columns={[
        { header: 'When', cell: ({ at }) => <When at={at} /> },
        {
          header: 'Actor',
          cell: ({ actorRole, actorKey, actorKeyId, actorSystemUser }) => (
            <div class="named">
              {actorKeyId !== null && <KeyLink of={actorKey} id={actorKeyId} />}
              {actorSystemUser !== null && <span>{actorSystemUser}</span>}
              <span class={actorKeyId === null && actorSystemUser === null ? undefined : 'quiet small'}>
                {actorRole}
              </span>
            </div>
          ),
        },
        {
          header: 'Action',
          cell: ({ action }) => <span title={action}>{wordsOfAction(action)}</span>,
        },
        { header: 'Target', cell: (record) => <Target of={record} /> },
        { header: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
      ]}
    />
  );
}

function Target({ of: { actorKeyId, projectId, project, apiKeyId, apiKey } }: { of: AuditRecord }) {
  if (apiKeyId !== null && apiKeyId === actorKeyId) return <span class="quiet">The same key</span>;
  return (
    <div class="named">
      {apiKeyId !== null && <KeyLink of={apiKey} id={apiKeyId} />}
      {projectId !== null && <a href={addressOf.project(projectId)}>{project?.name ?? projectId}</a>}
    </div>
  );
}

/**
 * Links to the key's page, which an admin key does not have. A key that is not stored is shown by its id, or by its
 * name if it is the signed-in key.
 */
function KeyLink({ of: key, id }: { of: KeyName | null; id: string }) {
  const { session } = useSession();
  if (key === null)
    return id === session.keyId ? <span>{session.keyName}</span> : <span class="mono">{id}</span>;
  const { name, project } = key;
  return project === null ? <span>{name}</span> : <a href={addressOf.key(project.id, id)}>{name}</a>;
}
