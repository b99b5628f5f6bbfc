import { Field, SelectField } from '../../components/field.js';
import type { ApiKeyFilter, ApiKeyOrder, ApiKeyState, ProjectRole } from './key-documents.js';

/** What the filters above the table say. Empty: anything. */
export interface ChosenFilters {
  name: string;
  role: '' | ProjectRole;
  state: '' | ApiKeyState;
  attention: '' | 'banned' | 'nearLimit';
  orderBy: ApiKeyOrder;
}

export const NO_FILTERS: ChosenFilters = {
  name: '',
  role: '',
  state: '',
  attention: '',
  orderBy: 'createdAt',
};

/** Whether it leaves out any key; the order does not. */
export function isFiltering({ orderBy: _, ...filters }: ChosenFilters): boolean {
  return Object.values(filters).some((value) => value.trim() !== '');
}

export function filterOf(projectId: string, chosen: ChosenFilters): ApiKeyFilter {
  const { role, state, attention } = chosen;
  const name = chosen.name.trim();
  return {
    projectId,
    ...(name !== '' && { nameContains: name }),
    ...(role !== '' && { role }),
    ...(state !== '' && { state }),
    ...(attention === 'banned' && { banned: true }),
    ...(attention === 'nearLimit' && { nearLimit: true }),
  };
}

export interface KeyFiltersProps {
  chosen: ChosenFilters;
  onChange: (chosen: ChosenFilters) => void;
}

export function KeyFilters({ chosen, onChange }: KeyFiltersProps) {
  const change = (changed: Partial<ChosenFilters>) => onChange({ ...chosen, ...changed });
  return (
    <div class="filters" role="search" aria-label="Keys">
      <Field
        label="Name"
        name="nameContains"
        type="search"
        maxLength={100}
        value={chosen.name}
        onChange={(name) => change({ name })}
      />
      <SelectField
        label="Role"
        name="role"
        value={chosen.role}
        choices={[
          { value: '', label: 'Any' },
          { value: 'server', label: 'Server' },
          { value: 'browser', label: 'Browser' },
          { value: 'owner', label: 'Owner' },
        ]}
        onChange={(role) => change({ role })}
      />
      <SelectField
        label="State"
        name="state"
        value={chosen.state}
        choices={[
          { value: '', label: 'Any' },
          { value: 'active', label: 'Active' },
          { value: 'expired', label: 'Expired' },
          { value: 'revoked', label: 'Revoked' },
        ]}
        onChange={(state) => change({ state })}
      />
      <SelectField
        label="Attention"
        name="attention"
        value={chosen.attention}
        choices={[
          { value: '', label: 'Any' },
          { value: 'banned', label: 'Banned now' },
          { value: 'nearLimit', label: 'Near the day’s limit' },
        ]}
        onChange={(attention) => change({ attention })}
      />
      <SelectField
        label="Order"
        name="orderBy"
        value={chosen.orderBy}
        choices={[
          { value: 'createdAt', label: 'Oldest first' },
          { value: 'lastUsedAt', label: 'Last used first' },
          { value: 'usageToday', label: 'Most used today first' },
        ]}
        onChange={(orderBy) => change({ orderBy })}
      />
    </div>
  );
}
