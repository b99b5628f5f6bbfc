import { useState } from 'preact/hooks';
import { useQuery } from '../../../api/use-query.js';
import { BarChart } from '../../../components/bar-chart.js';
import { CodeBlock } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { formatCount } from '../../../components/format-count.js';
import { Segments } from '../../../components/segments.js';
import { Empty, Loaded } from '../../../components/states.js';
import { Table } from '../../../components/table.js';
import { TimeOfDay } from '../../../components/time.js';
import { Totals } from '../../../components/totals.js';
import { INTERFACE_WORDS } from '../../keys/key-words.js';
import { TRAFFIC, type Traffic, type TrafficGroup } from './gateway-documents.js';
import {
  barsOf,
  SERIES,
  SOURCE_WORDS,
  SPAN_NAMES,
  SPANS,
  SPLIT_NAMES,
  type Span,
  type SpanName,
  type SplitName,
} from './traffic-words.js';

/** Shows the requests to all gateways, and follows them while the page is visible. */
export function TrafficCard() {
  const [spanName, setSpan] = useState<SpanName>('hour');
  const span = SPANS[spanName];
  const { by, last, pollMs } = span;
  const query = useQuery(TRAFFIC, { by, last }, { pollAfterMs: () => pollMs });
  const asOf = query.result?.traffic.asOf;
  return (
    <Card
      title="Traffic"
      description={
        <>
          Requests to all gateways.{' '}
          {asOf !== undefined && (
            <span class="live">
              Live, counted up to <TimeOfDay at={asOf} />
            </span>
          )}
        </>
      }
      actions={<Segments label="Range" options={SPAN_NAMES} value={spanName} onChange={setSpan} />}
    >
      <Loaded query={query} skeletonRows={7}>
        {/* Until the other range has arrived, the periods are still those of the previous range. */}
        {({ traffic }) => <Figures traffic={traffic} span={spanOf(traffic) ?? span} />}
      </Loaded>
    </Card>
  );
}

const spanOf = ({ periods }: Traffic): Span | undefined =>
  Object.values(SPANS).find(({ last }) => last === periods.length);

function Figures({ traffic, span }: { traffic: Traffic; span: Span }) {
  const [split, setSplit] = useState<SplitName>('status');
  const { requests, clientErrors, refused, serverErrors, bans, periods, groups } = traffic;
  if (requests === 0) return <NoTraffic words={span.words} />;
  return (
    <>
      <Totals
        totals={[
          { word: `requests, ${span.words}`, count: requests },
          { word: 'client errors (4xx)', count: clientErrors, of: requests },
          { word: 'rejected (429)', count: refused, of: requests },
          { word: 'server errors (5xx)', count: serverErrors, of: requests, isFault: true },
          { word: bans === 1 ? 'ban' : 'bans', count: bans },
        ]}
      />
      <Segments label="Split by" options={SPLIT_NAMES} value={split} onChange={setSplit} />
      <BarChart
        title={`Requests by ${span.by} and ${SPLIT_NAMES[split].toLowerCase()}`}
        period={span.period}
        series={SERIES[split]}
        bars={barsOf(periods, span.by, split)}
      />
      <Groups groups={groups} />
    </>
  );
}

function Groups({ groups }: { groups: readonly TrafficGroup[] }) {
  const number = (header: string, of: (group: TrafficGroup) => number) => ({
    header,
    isNumber: true,
    cell: (group: TrafficGroup) => formatCount(of(group)),
  });
  return (
    <Table
      caption="Requests by interface and plan"
      rows={groups}
      shortTo={4}
      keyOf={({ interface: apiInterface, source }) => `${apiInterface} ${source}`}
      columns={[
        {
          header: 'Sent with',
          cell: ({ source, ...group }) => (
            <span>
              {SOURCE_WORDS[source]} <span class="quiet">{INTERFACE_WORDS[group.interface]}</span>
            </span>
          ),
        },
        number('Requests', ({ requests }) => requests),
        number('4xx', ({ clientErrors }) => clientErrors),
        number('429', ({ refused }) => refused),
        number('5xx', ({ serverErrors }) => serverErrors),
      ]}
    />
  );
}

function NoTraffic({ words }: { words: string }) {
  return (
    <>
      <Empty title={`No requests in the ${words}`}>
        Requests to <code>/v1</code> and <code>/graphql</code> appear here within seconds, also those without
        a valid key. The dashboard’s own requests don’t count. Send one to try it:
      </Empty>
      <CodeBlock
        title="A first request"
        code={`curl -s '${location.origin}/v1/pets?limit=5' \\\n  -H "Authorization: Bearer $API_KEY"`}
      />
    </>
  );
}
