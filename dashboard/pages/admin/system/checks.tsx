import { Card } from '../../../components/card.js';
import { Badge } from '../../../components/notice.js';
import { nameOfCheck } from './check-names.js';
import type { HealthCheck } from './system-documents.js';

/** Shows the checks, failing ones first. */
export function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <Card title="Checks" description="The checks that /health/ready shows to admins.">
      <ul class="checks">
        {checks
          .toSorted((a, b) => Number(a.ok) - Number(b.ok))
          .map(({ name, ok, detail }) => (
            <li key={name}>
              <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'OK' : 'Failing'}</Badge>
              <div class="named">
                <span>{nameOfCheck(name)}</span>
                {detail !== null && <span class="quiet small">{detail}</span>}
              </div>
            </li>
          ))}
      </ul>
    </Card>
  );
}
