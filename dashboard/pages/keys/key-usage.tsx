import { useState } from 'preact/hooks';
import { useQuery } from '../../api/use-query.js';
import { BarChart } from '../../components/bar-chart.js';
import { Card } from '../../components/card.js';
import { classNames } from '../../components/class-names.js';
import { formatCount } from '../../components/format-count.js';
import { Empty, Loaded } from '../../components/states.js';
import { KEY_USAGE, type Usage } from './key-documents.js';
import { OperationsTable } from './operations-table.js';
import { STATUS_CLASSES, countByClass } from './status-classes.js';
import { RANGES, firstDayOf, type RangeDays } from './usage-range.js';

const POLL_MS = 15_000;
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export interface KeyUsageProps {
  keyId: string;
  /** Stops polling. */
  isQuiet: boolean;
}

/** Shows the requests with the key, by day and status, and by interface and operation. */
export function KeyUsage({ keyId, isQuiet }: KeyUsageProps) {
  const [days, setDays] = useState<RangeDays>(30);
  const variables = { id: keyId, from: firstDayOf(days, Date.now()) };
  const query = useQuery(KEY_USAGE, variables, { pollAfterMs: () => (isQuiet ? undefined : POLL_MS) });
  return (
    <Card
      title="Requests"
      description="By UTC day. New requests appear within seconds."
      actions={<RangeChoice days={days} onChange={setDays} />}
    >
      <Loaded query={query} skeletonRows={5}>
        {({ apiKey }) => apiKey !== null && <Figures usage={apiKey.usage} days={days} />}
      </Loaded>
    </Card>
  );
}

function Figures({ usage, days }: { usage: Usage; days: RangeDays }) {
  if (usage.requests === 0) return <Empty title={`No requests in the last ${days} days`} />;
  return (
    <>
      <dl class="key-totals">
        <Total of={usage.requests} word="requests" />
        <Total of={usage.cost} word="quota units" />
        <Total of={usage.refused} word="rejected (429)" />
        <Total of={usage.bans} word={usage.bans === 1 ? 'ban' : 'bans'} />
      </dl>
      <BarChart
        title="Requests by day and status"
        series={STATUS_CLASSES}
        bars={usage.days.map(({ date, byStatus }) => ({
          label: dayFormat.format(new Date(date)),
          values: countByClass(byStatus),
        }))}
      />
      <OperationsTable groups={usage.groups} />
    </>
  );
}

function Total({ of, word }: { of: number; word: string }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>{formatCount(of)}</dd>
    </div>
  );
}

interface RangeChoiceProps {
  days: RangeDays;
  onChange: (days: RangeDays) => void;
}

function RangeChoice({ days, onChange }: RangeChoiceProps) {
  return (
    <div class="segments" role="group" aria-label="Range">
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          class={classNames('segment', range === days && 'is-chosen')}
          aria-pressed={range === days}
          onClick={() => onChange(range)}
        >
          {range} days
        </button>
      ))}
    </div>
  );
}
