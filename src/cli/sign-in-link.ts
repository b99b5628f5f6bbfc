import type { Command } from 'commander';
import type { CommandServices } from '../app/command-services.js';
import type { ApiKey } from '../features/keys/api-key.js';
import { findGateway } from '../platform/mongod/data-dir.js';
import { withServices } from './context.js';
import { findKeyId } from './find-key.js';
import { ENOUGH_TO_NAME, nameSome } from './name-some.js';

/** A fragment that signs in once, or why there is none. */
type SignInLink = { fragment: string; expiresAt: Date } | { reason: string };

/**
 * Creates a link that signs in with this key, or with the only admin key if none is named.
 * @throws ApiError not_found; forbidden if the role of the named key cannot sign in; conflict if it is not active
 */
export async function createSignInLink(command: Command, keyText: string | undefined): Promise<SignInLink> {
  const { loadConfig } = await import('../config/config.js');
  const { mongodbUri, dataDir } = loadConfig();
  // Without this check, the command would start another database, which the gateway that answers does not read.
  if (mongodbUri === undefined && (await findGateway(dataDir)) === undefined)
    return { reason: 'the gateway does not use DATA_DIR: set DATA_DIR or MONGODB_URI as the gateway has it' };
  let link: SignInLink | undefined;
  await withServices(command, async (services) => {
    link = await linkFor(services, keyText);
  });
  return link ?? { reason: 'the database did not answer' };
}

async function linkFor(services: CommandServices, keyText: string | undefined): Promise<SignInLink> {
  const { SIGN_IN_FRAGMENT } = await import('../features/keys/sessions/sign-in-fragment.js');
  const { systemUser } = await import('./system-user.js');
  const chosen = keyText === undefined ? await adminKey(services) : await namedKey(services, keyText);
  if ('reason' in chosen) return chosen;
  const actor = { role: 'command line' as const, systemUser: systemUser() };
  const { token, expiresAt } = await services.sessions.createLink(chosen.key, chosen.secretHash, actor);
  return { fragment: `${SIGN_IN_FRAGMENT}${token}`, expiresAt };
}

interface Chosen {
  key: Pick<ApiKey, 'id' | 'role' | 'projectId'>;
  secretHash: string;
}

async function namedKey(services: CommandServices, text: string): Promise<Chosen> {
  const { stateOf } = await import('../features/keys/api-key.js');
  const { ApiError } = await import('../lib/errors.js');
  const key = await services.apiKeys.get(await findKeyId(services, text));
  const state = stateOf(key, Date.now());
  if (state !== 'active')
    throw new ApiError('conflict', `The key ${key.name} is ${state}. Name an active key.`);
  return withSecret(key);
}

/** ADMIN_API_KEY, or the only admin key: among several, the audit log must name the right one. */
async function adminKey({ config, apiKeys }: CommandServices): Promise<Chosen | { reason: string }> {
  const { CONFIGURED_ADMIN_KEY_ID } = await import('../features/keys/authenticator.js');
  const { hashSecret } = await import('../features/keys/secret.js');
  if (config.adminApiKey !== undefined)
    return {
      key: { id: CONFIGURED_ADMIN_KEY_ID, role: 'admin' },
      secretHash: hashSecret(config.adminApiKey),
    };
  const filter = { role: 'admin', state: 'active' } as const;
  const { entries } = await apiKeys.page({ first: ENOUGH_TO_NAME, filter, orderBy: 'createdAt' });
  const [only] = entries;
  if (only === undefined)
    return {
      reason:
        'there is no admin key. Create one with `npx pets-gateway keys create --role admin`, then run this command again',
    };
  if (entries.length > 1) {
    const named = nameSome(entries.map(({ key: { id, name } }) => `--key ${id} (${name})`));
    return { reason: `there are several admin keys. Choose one: ${named}` };
  }
  return withSecret(only.key);
}

/** The newest secret: older ones can expire before the session ends. */
function withSecret(key: ApiKey): Chosen {
  const newest = key.secrets.at(-1);
  if (newest === undefined) throw new Error(`the key ${key.id} has no secret`);
  return { key, secretHash: newest.hash };
}
