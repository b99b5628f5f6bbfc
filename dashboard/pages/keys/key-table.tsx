import type { ApiKeyOrder, QuotaWindowName } from '../../api/schema-types.js';
import { selectColumn, type Selection } from '../../components/selection.js';
import { Table, type Sort } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { ApiKey } from './key-documents.js';
import { KeyState } from './key-state.js';
import { ROLE_WORDS, WINDOW_WORDS } from './key-words.js';
import { WindowMeter } from './window-meter.js';

export interface KeyTableProps {
  projectId: string;
  keys: readonly ApiKey[];
  sortBy: (order: ApiKeyOrder) => Sort;
  selection: Selection;
}

export function KeyTable({ projectId, keys, sortBy, selection }: KeyTableProps) {
  return (
    <Table
      caption="The keys of the project"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        selectColumn(selection, (key: ApiKey) => key.state !== 'revoked'),
        {
          header: 'Key',
          cell: ({ id, name, start }) => (
            <div class="key-name">
              <a href={addressOf.key(projectId, id)}>{name}</a>
              <span class="quiet mono">{start}…</span>
            </div>
          ),
        },
        { header: 'Role', cell: ({ role }) => ROLE_WORDS[role] },
        { header: 'State', cell: (apiKey) => <KeyState apiKey={apiKey} /> },
        {
          header: 'Last used',
          sort: sortBy('lastUsedAt'),
          cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} />,
        },
        { header: WINDOW_WORDS.minute, cell: (apiKey) => <Window of={apiKey} name="minute" /> },
        {
          header: WINDOW_WORDS.day,
          sort: sortBy('usageToday'),
          cell: (apiKey) => <Window of={apiKey} name="day" />,
        },
      ]}
    />
  );
}

function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span class="quiet">Never</span> : <Time at={at} />;
}

/** Shows a window of an active key: only those are counted. */
function Window({ of: { state, quota }, name }: { of: ApiKey; name: QuotaWindowName }) {
  const window = quota.windows.find((one) => one.name === name);
  if (state !== 'active' || window === undefined) return <span class="quiet">–</span>;
  return (
    <div class="key-window">
      <WindowMeter window={window} isLabelHidden />
    </div>
  );
}
