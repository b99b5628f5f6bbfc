import { useQuery } from '../../api/use-query.js';
import { Card } from '../../components/card.js';
import { formatCount } from '../../components/format-count.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { AtTime, TimeOfDay } from '../../components/time.js';
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
      title="Rejected requests"
      description="Why requests got a 429 response: the latest 50 of each day, at most one per second."
    >
      <Loaded query={query}>
        {({ apiKey }) =>
          apiKey === null || apiKey.refusals.length === 0 ? (
            <Empty title="No rejected requests">
              A request is rejected when this key has no quota left for the minute or the day, or is banned.
              The reason appears here.
            </Empty>
          ) : (
            <Table
              caption="Rejected requests"
              rows={apiKey.refusals}
              shortTo={3}
              keyOf={({ at, code, window }) => `${at} ${code} ${window ?? ''}`}
              columns={[
                { header: 'When', cell: ({ at }) => <TimeOfDay at={at} /> },
                {
                  header: 'Operation',
                  cell: ({ interface: apiInterface, operation }) => (
                    <span>
                      {INTERFACE_WORDS[apiInterface]} {operation !== null && <code>{operation}</code>}
                    </span>
                  ),
                },
                { header: 'Reason', cell: (refusal) => <Why refusal={refusal} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Shows the reason of a rejection, and when the window resets or the ban ends. */
export function Why({ refusal: { code, message, window, limit, cost, resetAt } }: { refusal: Refusal }) {
  if (resetAt === null) return <>{message}</>;
  const isOver = Date.parse(resetAt) <= Date.now();
  if (code === 'key_banned')
    return (
      <span>
        The key was banned until <TimeOfDay at={resetAt} />.
      </span>
    );
  if (window === null || limit === null) return <>{message}</>;
  return (
    <span>
      {reasonOf(window, limit, cost ?? 1)} It {isOver ? 'reset' : 'resets'} <AtTime at={resetAt} />.
    </span>
  );
}

function reasonOf(window: string, limit: number, cost: number): string {
  const requests = `${formatCount(limit)} ${limit === 1 ? 'request' : 'requests'}`;
  const name =
    window === 'client'
      ? `One visitor’s share of ${requests} per minute`
      : `The ${window} limit of ${requests}`;
  return cost === 1
    ? `${name} was used up.`
    : `${name} had less left than the ${formatCount(cost)} that the request costs.`;
}
