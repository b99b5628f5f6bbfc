import DataLoader from 'dataloader';
import type { UsageRange } from '../../../../features/usage/usage-range.js';
import type { Usage, UsageService } from '../../../../features/usage/usage-service.js';

interface Asked {
  /** Id of a key or of a project. */
  id: string;
  range: UsageRange;
}

export type UsageLoader = DataLoader<Asked, Usage>;

/** Makes one read per range, however many keys it is requested for. */
export function createUsageLoader(usage: Pick<UsageService, 'of'>): UsageLoader {
  return new DataLoader(async (asked: readonly Asked[]) => {
    const answers = new Map<string, Promise<Map<string, Usage>>>();
    for (const { range } of asked) {
      const span = spanOf(range);
      const ids = asked.filter((one) => spanOf(one.range) === span).map(({ id }) => id);
      if (!answers.has(span)) answers.set(span, readMany(ids, range));
    }
    return Promise.all(
      asked.map(async ({ id, range }) => {
        const found = (await answers.get(spanOf(range)))?.get(id);
        return found ?? new Error('each has its usage');
      }),
    );
  });

  async function readMany(ids: readonly string[], range: UsageRange): Promise<Map<string, Usage>> {
    const usages = await usage.of(ids, range);
    return new Map(usages.map((one, i) => [ids[i] ?? '', one]));
  }
}

function spanOf({ days }: UsageRange): string {
  return `${days[0]} ${days.length}`;
}
