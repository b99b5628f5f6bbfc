import type { ApiInterface, ApiKeyRole, ApiKeyState, QuotaWindowName } from '../../api/schema-types.js';
import type { Tone } from '../../components/notice.js';

/** The roles of keys that a form creates for a project. A staff key is created by an invitation. */
export type ProjectRole = Exclude<ApiKeyRole, 'admin' | 'staff'>;

export const ROLE_WORDS: Record<ApiKeyRole, string> = {
  server: 'Server',
  browser: 'Browser',
  staff: 'Staff',
  owner: 'Owner',
  admin: 'Admin',
};

/** What a key with each role may do. */
export const ROLE_MEANINGS: Record<ProjectRole, string> = {
  server:
    'Reads pets, and adds, changes and removes those of this project. Use it in programs that can keep a secret.',
  browser:
    'Reads pets over GraphQL, only from pages at the origins below. Anyone who opens such a page can read the key, so each visitor gets only a share of its quota.',
  owner:
    'Does everything that a server key does, signs in to the dashboard, and manages this project’s imports, keys, domains and deploys.',
};

export const STATE_WORDS: Record<ApiKeyState, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  disabled: { word: 'Disabled', tone: 'warn' },
  expired: { word: 'Expired', tone: 'warn' },
  revoked: { word: 'Revoked', tone: 'neutral' },
};

export const WINDOW_WORDS: Record<QuotaWindowName, string> = { minute: 'This minute', day: 'Today (UTC)' };
export const WINDOW_NAMES = Object.keys(WINDOW_WORDS) as QuotaWindowName[];

export const INTERFACE_WORDS: Record<ApiInterface, string> = { rest: 'REST', graphql: 'GraphQL' };
