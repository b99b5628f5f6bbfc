import { curlOf } from '../../../api/curl.js';
import { useQuery } from '../../../api/use-query.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { formatCount } from '../../../components/format-count.js';
import { Loaded } from '../../../components/states.js';
import { When } from '../../../components/time.js';
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
      description="Status of this gateway process and its database. Refreshes every 10 seconds."
    >
      <Loaded query={query} skeletonRows={8}>
        {({ systemHealth }) => (
          <>
            <FaultNotices health={systemHealth} />
            <Gateway health={systemHealth} />
            <DomainCounts {...systemHealth} />
            <Checks checks={systemHealth.checks} />
            <ExpiringCertificates certificates={systemHealth.certificatesExpiring} />
          </>
        )}
      </Loaded>
      <Calls calls={[{ title: 'Read the system status', code: curlOf(SYSTEM_HEALTH, {}) }]} />
    </Page>
  );
}

function Gateway({ health }: { health: SystemHealth }) {
  const { version, startedAt, quotaOutage, projects, apiKeys } = health;
  return (
    <Card title="Gateway" description="The process that served this page.">
      <dl class="facts facts-wide">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Started</dt>
        <dd>
          <When at={startedAt} />
        </dd>
        <dt>Quota store</dt>
        <dd>{quotaOutage ? 'Down' : 'Up'}</dd>
        <dt>Projects</dt>
        <dd>{formatCount(projects)}</dd>
        <dt>Keys</dt>
        <dd>
          {formatCount(apiKeys)} <span class="quiet">including revoked and expired keys</span>
        </dd>
      </dl>
    </Card>
  );
}
