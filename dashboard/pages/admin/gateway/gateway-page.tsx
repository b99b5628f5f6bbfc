import { curlOf } from '../../../api/curl.js';
import { useQuery } from '../../../api/use-query.js';
import { ButtonLink } from '../../../components/button.js';
import { Calls } from '../../../components/calls.js';
import { Loaded } from '../../../components/states.js';
import { addressOf } from '../../../shell/addresses.js';
import { Page } from '../../../shell/page.js';
import { Why } from '../../keys/key-refusals.js';
import { forAdmins } from '../for-admins.js';
import { FaultNotices } from '../system/fault-notices.js';
import {
  ATTENTION,
  TRAFFIC,
  type AttentionResult,
  type NotedKey,
  type RejectedKey,
} from './gateway-documents.js';
import { NotedKeys } from './noted-keys.js';
import { StuckDomains } from './stuck-domains.js';
import { TrafficCard } from './traffic-card.js';

const TITLE = 'Gateway';
const POLL_MS = 15_000;

export default forAdmins(TITLE, GatewayPage);

function GatewayPage() {
  const query = useQuery(ATTENTION, {}, { pollAfterMs: () => POLL_MS });
  return (
    <Page
      title={TITLE}
      description="What happens on all gateways, and what needs you. This page updates automatically."
      actions={<ButtonLink href={addressOf.system}>System status</ButtonLink>}
    >
      <Loaded query={query} skeletonRows={2}>
        {({ systemHealth }) => <FaultNotices health={systemHealth} />}
      </Loaded>
      <TrafficCard />
      {query.result !== undefined && <Attention result={query.result} />}
      <Calls
        calls={[
          { title: 'Read the traffic', code: curlOf(TRAFFIC, { by: 'minute', last: 60 }) },
          { title: 'Read what needs attention', code: curlOf(ATTENTION, {}) },
        ]}
      />
    </Page>
  );
}

function Rejected({ of: { refusals } }: { of: RejectedKey }) {
  const [latest] = refusals;
  // Reasons are written up to half a minute after the mark that the list reads.
  return latest === undefined ? <span class="quiet">Not written yet</span> : <Why refusal={latest} />;
}

function Attention({ result }: { result: AttentionResult }) {
  const { systemHealth, busiest, nearLimit, rejected, banned } = result;
  const nodes = <Key extends NotedKey>({ edges }: { edges: readonly { node: Key }[] }) =>
    edges.map(({ node }) => node);
  const { count = 0 } = systemHealth.domains.find(({ status }) => status === 'action_required') ?? {};
  return (
    <div class="grid">
      <div class="stack">
        <NotedKeys
          title="Busiest keys today"
          description="The keys that used most of their day (UTC)."
          keys={nodes(busiest)}
          none="None yet. A key appears here within a minute of its first request of the day. Admin keys have no daily limit and are not listed."
          all={{ text: 'All keys by use', query: 'orderBy=usageToday' }}
        />
        <NotedKeys
          title="Banned keys"
          description="Keys whose clients kept sending requests before Retry-After had passed."
          keys={nodes(banned)}
          none="None. You can lift a ban on the page of the key."
          all={{ text: 'All banned keys', query: 'banned=true' }}
        />
      </div>
      <div class="stack">
        <NotedKeys
          title="Keys near their limits"
          description="They used 80 % of their day or of a minute today (UTC). The meter shows the day. Their projects may need a larger plan."
          keys={nodes(nearLimit)}
          none="None. A key appears here when it has used 80 % of its day, or of a minute."
          all={{ text: 'All near their limits', query: 'nearLimit=true' }}
        />
        <NotedKeys
          title="Keys that get 429"
          description="Their requests were rejected today (UTC), with the latest reason."
          keys={nodes(rejected)}
          none="None. A key appears here within seconds of its first rejected request of the day."
          all={{ text: 'All rejected today', query: 'rejectedToday=true' }}
          about={{ header: 'Latest reason', cell: (key) => <Rejected of={key} /> }}
        />
        <StuckDomains domains={systemHealth.domainsNeedingAction} count={count} />
      </div>
    </div>
  );
}
