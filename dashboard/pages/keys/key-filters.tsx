import type { ApiKeyFilter } from '../../api/schema-types.js';
import { SelectField } from '../../components/field.js';
import { SearchField } from '../../components/search-field.js';
import type { Filters, UsedFilters } from '../../shell/use-filters.js';
import { ANY, choiceOf, ORDERS, PROJECT_ROLES, STATES, USES } from './key-choices.js';

export const KEY_FILTERS = {
  nameContains: 'text',
  role: ['server', 'browser', 'owner'],
  state: ['active', 'expired', 'revoked'],
  attention: ['banned', 'nearLimit'],
  usedToday: ['true', 'false'],
  orderBy: ['createdAt', 'lastUsedAt', 'usageToday'],
} as const;

type ChosenFilters = Filters<typeof KEY_FILTERS>;

/** Whether the filters can exclude any key; the order cannot. */
export function isFiltering({ orderBy: _, ...filters }: ChosenFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

export function filterOf(projectId: string, chosen: ChosenFilters): ApiKeyFilter {
  const { nameContains, role, state, attention, usedToday } = chosen;
  return {
    projectId,
    nameContains,
    role,
    state,
    banned: attention === 'banned' ? true : undefined,
    nearLimit: attention === 'nearLimit' ? true : undefined,
    usedToday: choiceOf(usedToday),
  };
}

export interface KeyFiltersProps {
  chosen: ChosenFilters;
  onChange: UsedFilters<typeof KEY_FILTERS>['change'];
}

export function KeyFilters({ chosen, onChange }: KeyFiltersProps) {
  return (
    <div class="filters" role="search" aria-label="Keys">
      <SearchField
        label="Name"
        name="nameContains"
        value={chosen.nameContains ?? ''}
        onSearch={(nameContains) => onChange({ nameContains })}
      />
      <SelectField
        label="Role"
        name="role"
        value={chosen.role ?? ''}
        choices={[ANY, ...PROJECT_ROLES]}
        onChange={(role) => onChange({ role })}
      />
      <SelectField
        label="State"
        name="state"
        value={chosen.state ?? ''}
        choices={[ANY, ...STATES]}
        onChange={(state) => onChange({ state })}
      />
      <SelectField
        label="Needs attention"
        name="attention"
        value={chosen.attention ?? ''}
        choices={[
          ANY,
          { value: 'banned', label: 'Banned now' },
          { value: 'nearLimit', label: 'Near the daily limit' },
        ]}
        onChange={(attention) => onChange({ attention })}
      />
      <SelectField
        label="Today"
        name="usedToday"
        value={chosen.usedToday ?? ''}
        choices={[ANY, ...USES]}
        onChange={(usedToday) => onChange({ usedToday })}
      />
      <div class="on-phone">
        <SelectField
          label="Order"
          name="orderBy"
          value={chosen.orderBy ?? 'createdAt'}
          choices={ORDERS}
          onChange={(orderBy) => onChange({ orderBy })}
        />
      </div>
    </div>
  );
}
