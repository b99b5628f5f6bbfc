import type { ApiKeyOrder } from '../../api/schema-types.js';
import { Name } from '../../components/name.js';
import { selectColumn, type Selection } from '../../components/selection.js';
import { Table, type Column, type Sort } from '../../components/table.js';
import { addressOf } from '../../shell/addresses.js';
import type { ApiKey } from './key-documents.js';
import { KeyState } from './key-state.js';
import { ROLE_WORDS, WINDOW_NAMES, WINDOW_WORDS } from './key-words.js';
import { KeyWindow, LastUsed } from './key-use.js';

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
            <div class="named">
              <a href={addressOf.key(projectId, id)}>
                <Name>{name}</Name>
              </a>
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
        ...WINDOW_NAMES.map((name): Column<ApiKey> => ({
          header: WINDOW_WORDS[name],
          isMeter: true,
          ...(name === 'day' && { sort: sortBy('usageToday') }),
          cell: (apiKey) => <KeyWindow of={apiKey} name={name} />,
        })),
      ]}
    />
  );
}
