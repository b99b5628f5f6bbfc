import type { MeasuredSize } from '../../bench/scale/measure.js';
import { flatnessOf, summarise } from '../../bench/scale/summary.js';

function measured(pets: number, p50s: number[], documents = 21): MeasuredSize {
  return {
    operation: 'list',
    size: { pets, keys: 1000 },
    examined: { documents, indexKeys: 21 },
    rounds: p50s.map((p50Ms) => ({
      ...{ requests: 1000, requestsPerSecond: 1000, p50Ms, p99Ms: 9, refusals: 0, broken: 0 },
      ...{ operationUs: 200, serverCpuUs: 900_000, mongodCpuUs: 300_000 },
    })),
  };
}

const flatness = (...sizes: MeasuredSize[]) => flatnessOf(summarise(sizes));

describe('the target of the benchmark from few to many', () => {
  test('compares neighboring measurements, so that a machine that slows down decides nothing', () => {
    expect(flatness(measured(10, [1, 2, 30]), measured(1000, [1.2, 2.4, 36]))).toMatchObject([
      { timesP50: 1.2, reached: true, examinesAsMuch: true },
    ]);
  });

  test('uses the largest size, whatever the sizes in between show', () => {
    const cells = [measured(10, [1]), measured(100, [9]), measured(1000, [1.31])];
    expect(flatness(...cells)).toMatchObject([{ timesP50: 1.31, reached: false }]);
  });

  test('reports a size at which MongoDB examines more', () => {
    const cells = [measured(10, [1]), measured(100, [1], 22), measured(1000, [1])];
    expect(flatness(...cells)).toMatchObject([{ reached: true, examinesAsMuch: false }]);
  });
});
