import { Card } from '../../../components/card.js';
import { Name } from '../../../components/name.js';
import { Table } from '../../../components/table.js';
import { When } from '../../../components/time.js';
import { addressOf } from '../../../shell/addresses.js';
import { PROBLEM_TITLES } from '../../domains/domain-progress.js';
import type { ExpiringCertificate } from './system-documents.js';

/** Shows the certificates that expire soon, the earliest first. */
export function ExpiringCertificates({ certificates }: { certificates: readonly ExpiringCertificate[] }) {
  return (
    <Card
      title="Certificates expiring within 30 days"
      description="The gateway renews a certificate when a third of its lifetime is left, or when the certificate authority says so."
    >
      {certificates.length === 0 ? (
        <p class="quiet">None. A certificate appears here if its renewal fails or is late.</p>
      ) : (
        <Table
          caption="Certificates expiring within 30 days"
          rows={certificates}
          keyOf={({ domainId }) => domainId}
          columns={[
            {
              header: 'Domain',
              cell: ({ name, projectId }) => (
                <div class="named">
                  <a href={addressOf.domains(projectId)}>
                    <Name>{name}</Name>
                  </a>
                  <span class="quiet mono">{projectId}</span>
                </div>
              ),
            },
            {
              header: 'Expires',
              cell: ({ expiresAt }) => <When at={expiresAt} />,
            },
            { header: 'Problem', cell: ({ problem }) => <ProblemOf problem={problem} /> },
          ]}
        />
      )}
    </Card>
  );
}

function ProblemOf({ problem }: Pick<ExpiringCertificate, 'problem'>) {
  if (problem === null) return <span class="quiet">None</span>;
  return (
    <div class="named">
      <strong>{PROBLEM_TITLES[problem.code]}</strong>
      <span>{problem.message}</span>
    </div>
  );
}
