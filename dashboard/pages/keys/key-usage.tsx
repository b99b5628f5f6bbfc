import { useState } from 'preact/hooks';
import { useQuery } from '../../api/use-query.js';
import { BarChart } from '../../components/bar-chart.js';
import { Card } from '../../components/card.js';
import { Segments } from '../../components/segments.js';
import { Empty, Loaded } from '../../components/states.js';
import { Totals } from '../../components/totals.js';
import { KEY_USAGE, type Usage } from './key-documents.js';
import { OperationsTable } from './operations-table.js';
import { STATUS_CLASSES, countByClass } from './status-classes.js';
import { RANGES, firstDayOf, type Range } from './usage-range.js';

const POLL_MS = 15_000;
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export interface KeyUsageProps {
  keyId: string;
  /** Whether the quota of the key counts requests, which the usage shows up to a minute later. */
  isInUse: boolean;
  /** Stops polling. */
  isQuiet: boolean;
}

/** Shows the requests with the key, by day and status, and by interface and operation. */
export function KeyUsage({ keyId, isInUse, isQuiet }: KeyUsageProps) {
  const [range, setRange] = useState<Range>('30');
  const days = Number(range);
  const variables = { id: keyId, from: firstDayOf(days, Date.now()) };
  const query = useQuery(KEY_USAGE, variables, { pollAfterMs: () => (isQuiet ? undefined : POLL_MS) });
  const usage = query.result?.apiKey?.usage;
  return (
    <>
      <Card
        title="Requests"
        description="By UTC day. New requests appear within a minute; the quota counts them at once."
        actions={<Segments label="Range" options={RANGES} value={range} onChange={setRange} />}
      >
        <Loaded query={query} skeletonRows={5}>
          {({ apiKey }) => apiKey !== null && <Figures usage={apiKey.usage} days={days} isInUse={isInUse} />}
        </Loaded>
      </Card>
      {usage !== undefined && usage.requests > 0 && <OperationsTable groups={usage.groups} />}
    </>
  );
}

function Figures({ usage, days, isInUse }: { usage: Usage; days: number; isInUse: boolean }) {
  if (usage.requests === 0 && isInUse)
    return <Empty title="First requests received">They appear here within a minute.</Empty>;
  if (usage.requests === 0)
    return (
      <Empty title={`No requests in the last ${days} days`}>
        Send a request with the header <code>Authorization: Bearer</code> and the secret of this key. It
        appears here within a minute.
      </Empty>
    );
  return (
    <>
      <Totals
        totals={[
          { word: 'requests', count: usage.requests },
          { word: 'quota units', count: usage.cost },
          { word: 'rejected (429)', count: usage.refused, of: usage.requests },
          { word: usage.bans === 1 ? 'ban' : 'bans', count: usage.bans },
        ]}
      />
      <BarChart
        title="Requests by day and status"
        series={STATUS_CLASSES}
        bars={usage.days.map(({ date, byStatus }, at) => ({
          label: dayFormat.format(new Date(date)),
          values: countByClass(byStatus),
          isPartial: at === usage.days.length - 1,
        }))}
      />
    </>
  );
}
