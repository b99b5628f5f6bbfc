import { Card } from '../../../components/card.js';
import { formatCount } from '../../../components/format-count.js';
import { Badge } from '../../../components/notice.js';
import { Time } from '../../../components/time.js';
import { STATUS_WORDS } from '../../domains/domain-progress.js';
import type { SystemHealth } from './system-documents.js';

type DomainCountsProps = Pick<SystemHealth, 'domains' | 'domainsDue' | 'oldestDueAt'>;

/** Shows the domains of all projects, and those that wait for a job. */
export function DomainCounts({ domains, domainsDue, oldestDueAt }: DomainCountsProps) {
  return (
    <Card title="Domains" description="Domains of all projects by status.">
      <ul class="counts">
        {domains.map((one) => {
          const { word, tone } = STATUS_WORDS[one.status];
          return (
            <li key={one.status}>
              <Badge tone={one.count === 0 ? 'neutral' : tone}>{word}</Badge>
              <strong>{formatCount(one.count)}</strong>
            </li>
          );
        })}
      </ul>
      <dl class="facts facts-wide">
        <dt>Jobs due</dt>
        <dd>{formatCount(domainsDue)}</dd>
        <dt>Oldest job due</dt>
        <dd>{oldestDueAt === null ? 'None' : <Time at={oldestDueAt} />}</dd>
      </dl>
    </Card>
  );
}
