import { Table } from '../../../components/table.js';
import { DateAndTime } from '../../../components/time.js';
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
        { header: 'When', cell: ({ at }) => <DateAndTime at={at} /> },
        {
          header: 'Who',
          cell: ({ actorRole, actorKey, actorKeyId }) => (
            <div class="named">
              {actorKeyId !== null && <KeyLink apiKey={actorKey} id={actorKeyId} />}
              <span class={actorKeyId === null ? undefined : 'quiet small'}>{actorRole}</span>
            </div>
          ),
        },
        {
          header: 'What',
          cell: ({ action }) => <span title={action}>{wordsOfAction(action)}</span>,
        },
        { header: 'Of', cell: (record) => <Target of={record} /> },
        { header: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
      ]}
    />
  );
}

function Target({ of: { projectId, project, apiKeyId, apiKey } }: { of: AuditRecord }) {
  return (
    <div class="named">
      {apiKeyId !== null && <KeyLink apiKey={apiKey} id={apiKeyId} />}
      {projectId !== null && <a href={addressOf.project(projectId)}>{project?.name ?? projectId}</a>}
    </div>
  );
}

/** To its page; an admin key has none, and one that is gone has its id only. */
function KeyLink({ apiKey, id }: { apiKey: KeyName | null; id: string }) {
  if (apiKey === null) return <span class="mono">{id}</span>;
  const { name, project } = apiKey;
  return project === null ? <span>{name}</span> : <a href={addressOf.key(project.id, id)}>{name}</a>;
}
