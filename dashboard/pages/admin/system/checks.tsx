import { Card } from '../../../components/card.js';
import { Badge } from '../../../components/notice.js';
import { Table } from '../../../components/table.js';
import type { HealthCheck } from './system-documents.js';

/** Those that fail first. */
export function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <Card title="Checks" description="As /health/ready answers them.">
      <Table
        caption="Checks"
        rows={checks.toSorted((a, b) => Number(a.ok) - Number(b.ok))}
        keyOf={({ name }) => name}
        columns={[
          { header: 'Check', cell: ({ name }) => name },
          {
            header: 'State',
            cell: ({ ok }) => <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'OK' : 'Failing'}</Badge>,
          },
          { header: 'Detail', cell: ({ detail }) => <span class="quiet">{detail ?? '–'}</span> },
        ]}
      />
    </Card>
  );
}
