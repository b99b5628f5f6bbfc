import { useQuery } from '../../api/use-query.js';
import { Card } from '../../components/card.js';
import { formatCount } from '../../components/format-count.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { TimeOfDay } from '../../components/time.js';
import { KEY_REFUSALS, type Refusal } from './key-documents.js';
import { INTERFACE_WORDS } from './key-words.js';

const POLL_MS = 15_000;

export interface KeyRefusalsProps {
  keyId: string;
  /** Stops polling. */
  isQuiet: boolean;
}

/** Shows why requests with the key were rejected. */
export function KeyRefusals({ keyId, isQuiet }: KeyRefusalsProps) {
  const query = useQuery(KEY_REFUSALS, { id: keyId }, { pollAfterMs: () => (isQuiet ? undefined : POLL_MS) });
  return (
    <Card
      title="Latest refusals"
      description="Why requests were answered 429: at most one a second is kept, and the latest 50 of a day."
    >
      <Loaded query={query}>
        {({ apiKey }) =>
          apiKey === null || apiKey.refusals.length === 0 ? (
            <Empty title="None of its requests was refused" />
          ) : (
            <Table
              caption="The latest refusals"
              rows={apiKey.refusals}
              keyOf={({ at, code, window }) => `${at} ${code} ${window ?? ''}`}
              columns={[
                { header: 'When', cell: ({ at }) => <TimeOfDay at={at} /> },
                { header: 'Why', cell: (refusal) => <Why refusal={refusal} /> },
                {
                  header: 'Asked',
                  cell: ({ interface: apiInterface, operation }) => (
                    <span>
                      {INTERFACE_WORDS[apiInterface]} {operation !== null && <code>{operation}</code>}
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Why({ refusal: { code, message, window, limit, cost, resetAt } }: { refusal: Refusal }) {
  if (resetAt === null) return <>{message}</>;
  const isOver = Date.parse(resetAt) <= Date.now();
  const when = <TimeOfDay at={resetAt} />;
  if (code === 'key_banned')
    return (
      <span>
        The key was banned; the ban {isOver ? 'ended' : 'ends'} at {when}.
      </span>
    );
  if (window === null || limit === null) return <>{message}</>;
  return (
    <span>
      {usedUp(window, limit, cost ?? 1)}; it {isOver ? 'began' : 'begins'} anew at {when}.
    </span>
  );
}

function usedUp(window: string, limit: number, cost: number): string {
  const name =
    window === 'client'
      ? `One visitor’s share, ${formatCount(limit)} requests a minute,`
      : `The ${window} window of ${formatCount(limit)} requests`;
  return cost === 1
    ? `${name} was used up`
    : `${name} had fewer than the ${formatCount(cost)} left that it needed`;
}
