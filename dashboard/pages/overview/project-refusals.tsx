import { Card } from '../../components/card.js';
import { Name } from '../../components/name.js';
import { Table } from '../../components/table.js';
import { TimeOfDay } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import { Why } from '../keys/key-refusals.js';
import type { ProjectRefusal } from './overview-documents.js';

export interface ProjectRefusalsProps {
  projectId: string;
  refusals: readonly ProjectRefusal[];
}

/** Shows why requests of the project were rejected lately. */
export function ProjectRefusals({ projectId, refusals }: ProjectRefusalsProps) {
  return (
    <Card title="Recent rejections" description="The latest requests that got a 429 response, and why.">
      {refusals.length === 0 ? (
        <p class="quiet">
          None. A request is rejected when its key has no quota left for the minute or the day. The response
          says when to try again.
        </p>
      ) : (
        <Table
          caption="Recent rejections"
          rows={refusals}
          keyOf={({ at, code, window, apiKey }) => `${at} ${code} ${window ?? ''} ${apiKey?.id ?? ''}`}
          columns={[
            { header: 'When', cell: ({ at }) => <TimeOfDay at={at} /> },
            {
              header: 'Key',
              cell: ({ apiKey }) =>
                apiKey === null ? (
                  '–'
                ) : (
                  <a href={addressOf.key(projectId, apiKey.id)}>
                    <Name>{apiKey.name}</Name>
                  </a>
                ),
            },
            { header: 'Reason', cell: (refusal) => <Why refusal={refusal} /> },
          ]}
        />
      )}
    </Card>
  );
}
