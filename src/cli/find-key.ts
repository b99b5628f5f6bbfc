import type { CommandServices } from '../app/command-services.js';
import { stateOf } from '../features/keys/api-key.js';
import type { ApiKeysFilter } from '../features/keys/api-keys-store.js';
import { ApiError } from '../lib/errors.js';
import { findByName } from './find-by-name.js';

/** Arguments for Command.argument(): the argument that findKeyId receives. */
export const KEY_ARGUMENT = ['<key>', 'the id or name of the key, as `keys list` shows it'] as const;

/**
 * The id of the key with this id or exact name. Of several keys with this name, it chooses the only active one. It does
 * not look up an id. With `among`, only keys that match it have a name.
 * @throws ApiError not_found; invalid_request if several keys fit
 */
export async function findKeyId(
  { apiKeys }: Pick<CommandServices, 'apiKeys'>,
  text: string,
  among: Pick<ApiKeysFilter, 'projectId' | 'role'> = {},
): Promise<string> {
  if (text.startsWith('key_')) return text;
  const byName = await findByName(
    text,
    async (after) => {
      const filter = { ...among, nameContains: text };
      const page = await apiKeys.page({ first: 100, after, filter, orderBy: 'createdAt' });
      return { ...page, entries: page.entries.map(({ key, cursor }) => ({ found: key, cursor })) };
    },
    (key) => stateOf(key, Date.now()) === 'active',
  );
  if (byName === undefined) throw new ApiError('not_found', `There is no API key with the name ${text}.`);
  return byName.id;
}
