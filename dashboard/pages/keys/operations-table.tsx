import type { ApiInterface } from '../../api/schema-types.js';
import { FoldingCard } from '../../components/card.js';
import { formatCount } from '../../components/format-count.js';
import { Table } from '../../components/table.js';
import type { UsageGroup } from './key-documents.js';
import { INTERFACE_WORDS } from './key-words.js';
import { STATUS_CLASSES, countByClass } from './status-classes.js';

interface OperationRow {
  interface: ApiInterface;
  operation: string;
  requests: number;
  counts: readonly number[];
  cost: number;
}

/** Shows the same requests by interface and operation, most requests first. */
export function OperationsTable({ groups }: { groups: readonly UsageGroup[] }) {
  return (
    <FoldingCard
      title="Operations"
      description="The same requests by interface and operation, most requests first."
    >
      <Table
        caption="Requests by interface and operation"
        rows={rowsOf(groups)}
        shortTo={5}
        keyOf={({ interface: apiInterface, operation }) => `${apiInterface} ${operation}`}
        columns={[
          {
            header: 'Operation',
            cell: ({ operation, interface: apiInterface }) => (
              <span>
                <code>{operation}</code> <span class="quiet">{INTERFACE_WORDS[apiInterface]}</span>
              </span>
            ),
          },
          { header: 'Requests', isNumber: true, cell: ({ requests }) => formatCount(requests) },
          ...STATUS_CLASSES.map(({ name }, at) => ({
            header: name,
            isNumber: true,
            cell: ({ counts }: OperationRow) => formatCount(counts[at] ?? 0),
          })),
          { header: 'Quota units', isNumber: true, cell: ({ cost }) => formatCount(cost) },
        ]}
      />
    </FoldingCard>
  );
}

function rowsOf(groups: readonly UsageGroup[]): OperationRow[] {
  const groupsByName = new Map<string, UsageGroup[]>();
  for (const group of groups) {
    const name = `${group.interface} ${group.operation}`;
    groupsByName.set(name, [...(groupsByName.get(name) ?? []), group]);
  }
  return [...groupsByName.values()].flatMap(rowOf).sort((a, b) => b.requests - a.requests);
}

function rowOf(groups: readonly UsageGroup[]): OperationRow[] {
  const [first] = groups;
  if (first === undefined) return [];
  const { interface: apiInterface, operation } = first;
  return [
    {
      interface: apiInterface,
      operation,
      requests: sum(groups.map(({ requests }) => requests)),
      counts: countByClass(groups),
      cost: sum(groups.map(({ cost }) => cost)),
    },
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
