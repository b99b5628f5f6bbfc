import { Name } from '../../components/name.js';
import { Table } from '../../components/table.js';
import { When } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { AuditRecord, KeyPlace } from './audit-documents.js';
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
          cell: ({ actorRole, actorKey, actorName, actorKeyId, actorSystemUser }) => (
            <div class="named">
              {actorKeyId !== null && <KeyLink of={actorKey} name={actorName} id={actorKeyId} />}
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
        {
          header: 'Changes',
          cell: ({ changes, petId }) => <Changes changes={changes} isOfAnimal={petId !== null} />,
        },
      ]}
    />
  );
}

function Target({ of: record }: { of: AuditRecord }) {
  const { actorKeyId, projectId, projectName, apiKeyId, apiKey, apiKeyName } = record;
  if (apiKeyId !== null && apiKeyId === actorKeyId) return <span class="quiet">The same key</span>;
  return (
    <div class="named">
      {apiKeyId !== null && <KeyLink of={apiKey} name={apiKeyName} id={apiKeyId} />}
      {record.petId !== null && <Animal of={record} id={record.petId} />}
      {projectId !== null && (
        <a href={addressOf.project(projectId)}>
          <Name>{projectName ?? projectId}</Name>
        </a>
      )}
    </div>
  );
}

/** Links to the animal on the page Animals. An animal that this record removed is there no longer. */
function Animal({ of: { action, petName, projectId }, id }: { of: AuditRecord; id: string }) {
  const name = <Name>{petName ?? 'Animal'}</Name>;
  return (
    <>
      {action === 'pet.delete' ? name : <a href={addressOf.animal(projectId, id)}>{name}</a>}
      <span class="quiet small">
        ID <span class="mono">{id}</span>
      </span>
    </>
  );
}

interface KeyLinkProps {
  of: KeyPlace | null;
  /** Null if it is not known. */
  name: string | null;
  id: string;
}

/** Links to the key's page. Admin keys and keys that no longer exist have none. */
function KeyLink({ of: key, name, id }: KeyLinkProps) {
  if (name === null) return <span class="mono">{id}</span>;
  if (!key?.project) return <Name>{name}</Name>;
  return (
    <a href={addressOf.key(key.project.id, id)}>
      <Name>{name}</Name>
    </a>
  );
}
