import { curlOf } from '../../../api/curl.js';
import { useQuery } from '../../../api/use-query.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { Loaded } from '../../../components/states.js';
import { DateAndTime, Time } from '../../../components/time.js';
import { Page } from '../../../shell/page.js';
import { forAdmins } from '../for-admins.js';
import { Checks } from './checks.js';
import { DomainCounts } from './domain-counts.js';
import { ExpiringCertificates } from './expiring-certificates.js';
import { FaultNotices } from './fault-notices.js';
import { SYSTEM_HEALTH, type SystemHealth } from './system-documents.js';

const TITLE = 'System';
const POLL_MS = 10_000;

export default forAdmins(TITLE, SystemPage);

function SystemPage() {
  const query = useQuery(SYSTEM_HEALTH, {}, { pollAfterMs: () => POLL_MS });
  return (
    <Page
      title={TITLE}
      description="How the gateway is that answers, and what waits in its database. Looked at every ten seconds."
    >
      <Loaded query={query} skeletonRows={8}>
        {({ systemHealth }) => (
          <>
            <FaultNotices health={systemHealth} />
            <div class="grid">
              <Gateway health={systemHealth} />
              <DomainCounts {...systemHealth} />
            </div>
            <Checks checks={systemHealth.checks} />
            <ExpiringCertificates certificates={systemHealth.certificatesExpiring} />
          </>
        )}
      </Loaded>
      <Calls calls={[{ title: 'How the gateway is', code: curlOf(SYSTEM_HEALTH, {}) }]} />
    </Page>
  );
}

const count = new Intl.NumberFormat('en-GB');

function Gateway({ health }: { health: SystemHealth }) {
  const { version, startedAt, quotaOutage, projects, apiKeys } = health;
  return (
    <Card title="Gateway" description="The process that answered.">
      <dl class="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Up since</dt>
        <dd>
          <DateAndTime at={startedAt} />{' '}
          <span class="quiet">
            (<Time at={startedAt} />)
          </span>
        </dd>
        <dt>Quota store</dt>
        <dd>{quotaOutage ? 'Down' : 'Up'}</dd>
        <dt>Projects</dt>
        <dd>{count.format(projects)}</dd>
        <dt>Keys</dt>
        <dd>
          {count.format(apiKeys)} <span class="quiet">with revoked and expired ones</span>
        </dd>
      </dl>
    </Card>
  );
}
