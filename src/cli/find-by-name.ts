import { invalidRequest } from '../lib/errors.js';

interface Named {
  id: string;
  name: string;
}

interface Page<Entry> {
  entries: { found: Entry; cursor: string }[];
  hasMore: boolean;
}

/**
 * Finds the entry with exactly this name in a list. If several have the name, prefers the only one that `isPreferred`.
 * @throws ApiError invalid_request if more than one is left
 */
export async function findByName<Entry extends Named>(
  name: string,
  readPage: (after: string | undefined) => Promise<Page<Entry>>,
  isPreferred: (entry: Entry) => boolean = () => true,
): Promise<Entry | undefined> {
  const found: Entry[] = [];
  let page: Page<Entry> | undefined;
  do {
    page = await readPage(page?.entries.at(-1)?.cursor);
    found.push(...page.entries.map((entry) => entry.found).filter((entry) => entry.name === name));
  } while (page.hasMore);
  const preferred = found.filter(isPreferred);
  const candidates = preferred.length > 0 ? preferred : found;
  if (candidates.length > 1)
    throw invalidRequest({
      field: 'name',
      message: `${candidates.length} have the name ${name}. Use an id: ${candidates.map(({ id }) => id).join(', ')}`,
    });
  return candidates[0];
}
