import { judge, judgeStartup } from '../../bench/mark.js';
import { summarise, type Cell } from '../../bench/summary.js';
import type { Round } from '../../bench/measure.js';

const ROUND: Round = {
  requests: 1000,
  requestsPerSecond: 1000,
  p50Ms: 1,
  p99Ms: 5,
  refusals: 0,
  broken: 0,
  serverCpuUs: 100,
  mongodCpuUs: 10,
  mongodOperations: 1,
  residentMiB: 100,
};

function cell(contestant: Pick<Cell, 'target' | 'keys'>, requestsPerSecond: number[], fault?: string): Cell {
  return summarise({
    ...contestant,
    workload: 'list',
    connections: 50,
    rounds: requestsPerSecond.map((rate) => ({ ...ROUND, requestsPerSecond: rate })),
    ...(fault !== undefined && { fault }),
  });
}

const bareHttp = { target: 'bare-http', keys: 'none' } as const;
const gateway = { target: 'gateway', keys: 'one' } as const;
const throughput = (cells: Cell[]) =>
  judge([cells]).find(({ what }) => what === 'list × 50: req/s against bare-http');

describe('the target of the benchmark', () => {
  test('compares medians, so that one disturbed round decides nothing', () => {
    const line = throughput([cell(bareHttp, [1000, 900, 1]), cell(gateway, [1800, 10, 9000])]);
    expect(line).toMatchObject({
      bound: '≥ 2',
      subjects: [{ name: 'gateway (one)', measured: 2, reached: true }],
    });
  });

  test('fails just below the bound', () => {
    const line = throughput([cell(bareHttp, [1000]), cell(gateway, [1999])]);
    expect(line?.subjects).toMatchObject([{ reached: false }]);
  });

  test('gives no verdict for a cell that is void or was not measured', () => {
    expect(throughput([cell(bareHttp, [1000]), cell(gateway, [9000], '3 requests failed')])).toBeUndefined();
    expect(throughput([cell(gateway, [9000])])).toBeUndefined();
  });

  test('compares within the first table that has both contestants, never across tables', () => {
    const logged = { target: 'gateway-logged', keys: 'one' } as const;
    const share = (tables: Cell[][]) =>
      judge(tables).find(({ what }) => what === 'list × 50: req/s against gateway (one)')?.subjects;
    expect(share([[cell(gateway, [1000])], [cell(logged, [1000])]])).toBeUndefined();
    const both = [cell(gateway, [1000]), cell(logged, [940])];
    expect(share([[cell(gateway, [10])], both, [cell(gateway, [1]), cell(logged, [1])]])).toEqual([
      { name: 'gateway-logged (one)', measured: 0.94, reached: false },
    ]);
  });

  test('judges each start, and the memory of the gateway at rest', () => {
    const memory = { gatewayMiB: 120, mongodMiB: 900 };
    const measured = { firstStartSeconds: 1.01, laterStartSeconds: 1, idle: memory, loaded: memory };
    expect(judgeStartup(measured).map(({ subjects }) => subjects.map(({ reached }) => reached))).toEqual([
      [false, true],
      [true],
    ]);
  });
});
