import type { Choice } from '../../components/field.js';
import type { ApiKeyOrder, ApiKeyState } from '../../api/schema-types.js';
import type { ProjectRole } from './key-words.js';

export const ANY: Choice<''> = { value: '', label: 'Any' };

export const PROJECT_ROLES: Choice<ProjectRole>[] = [
  { value: 'server', label: 'Server' },
  { value: 'browser', label: 'Browser' },
  { value: 'owner', label: 'Owner' },
];

export const STAFF_ROLE: Choice<'staff'> = { value: 'staff', label: 'Staff' };

export const STATES: Choice<ApiKeyState>[] = [
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];

export const USES: Choice<'true' | 'false'>[] = [
  { value: 'true', label: 'Used' },
  { value: 'false', label: 'Not used' },
];

/** Converts a choice of yes or no in the URL. */
export function choiceOf(choice: 'true' | 'false' | undefined): boolean | undefined {
  return choice === undefined ? undefined : choice === 'true';
}

export const ORDERS: Choice<ApiKeyOrder>[] = [
  { value: 'createdAt', label: 'Oldest first' },
  { value: 'lastUsedAt', label: 'Recently used first' },
  { value: 'usageToday', label: 'Most used today first' },
];
