import { useEffect } from 'preact/hooks';
import { Card } from '../../../components/card.js';
import { Name } from '../../../components/name.js';
import { Table } from '../../../components/table.js';
import { addressOf, STUCK_DOMAINS } from '../../../shell/addresses.js';
import { PROBLEM_TITLES } from '../../domains/domain-progress.js';
import type { StuckDomain } from './gateway-documents.js';

export interface StuckDomainsProps {
  domains: readonly StuckDomain[];
  /** How many there are in all. */
  count: number;
}

/** Shows the domains that wait for somebody to act. */
export function StuckDomains({ domains, count }: StuckDomainsProps) {
  // A link of another page came before the card was there.
  useEffect(() => {
    if (location.hash === `#${STUCK_DOMAINS}`) document.getElementById(STUCK_DOMAINS)?.focus();
  }, []);
  return (
    <Card
      id={STUCK_DOMAINS}
      title="Domains needing action"
      description="Custom domains that don’t work until somebody acts."
    >
      {domains.length === 0 ? (
        <p class="quiet">
          None. A domain appears here when its DNS records or its certificate have a problem.
        </p>
      ) : (
        <Table
          caption="Domains needing action"
          rows={domains}
          keyOf={({ domainId }) => domainId}
          columns={[
            {
              header: 'Domain',
              cell: ({ name, projectId, project }) => (
                <div class="named">
                  <a href={addressOf.domains(projectId)}>
                    <Name>{name}</Name>
                  </a>
                  <span class="quiet small">
                    <Name>{project?.name ?? projectId}</Name>
                  </span>
                </div>
              ),
            },
            {
              header: 'Problem',
              cell: ({ problem }) => PROBLEM_TITLES[problem?.code ?? 'ssl_overdue'],
            },
          ]}
        />
      )}
      {count > domains.length && <p class="quiet">And {count - domains.length} more.</p>}
    </Card>
  );
}
