import { PLAN_IDS } from '../../../../src/features/plans/plans.js';
import { SelectField } from '../../../components/field.js';
import { SearchField } from '../../../components/search-field.js';
import type { Filters, UsedFilters } from '../../../shell/use-filters.js';
import { ANY, ORDERS, PROJECT_ROLES, STATES, USES } from '../../keys/key-choices.js';
import { PLAN_CHOICES } from '../../plans/plan-fields.js';

export const KEY_FILTERS = {
  nameContains: 'text',
  plan: PLAN_IDS,
  role: ['server', 'browser', 'owner', 'admin'],
  state: ['active', 'expired', 'revoked'],
  banned: ['true', 'false'],
  nearLimit: ['true', 'false'],
  usedToday: ['true', 'false'],
  orderBy: ['createdAt', 'lastUsedAt', 'usageToday'],
} as const;

export type KeyFilters = Filters<typeof KEY_FILTERS>;

export interface AllKeysFiltersProps {
  filters: KeyFilters;
  onChange: UsedFilters<typeof KEY_FILTERS>['change'];
}

export function AllKeysFilters({ filters, onChange }: AllKeysFiltersProps) {
  return (
    <div class="filters" role="search" aria-label="Keys">
      <SearchField
        label="Name"
        name="nameContains"
        value={filters.nameContains ?? ''}
        onSearch={(nameContains) => onChange({ nameContains })}
      />
      <SelectField
        label="Plan"
        name="plan"
        value={filters.plan ?? ''}
        choices={[ANY, ...PLAN_CHOICES]}
        onChange={(plan) => onChange({ plan })}
      />
      <SelectField
        label="Role"
        name="role"
        value={filters.role ?? ''}
        choices={[ANY, ...PROJECT_ROLES, { value: 'admin', label: 'Admin' }]}
        onChange={(role) => onChange({ role })}
      />
      <SelectField
        label="State"
        name="state"
        value={filters.state ?? ''}
        choices={[ANY, ...STATES]}
        onChange={(state) => onChange({ state })}
      />
      <SelectField
        label="Ban"
        name="banned"
        value={filters.banned ?? ''}
        choices={[ANY, { value: 'true', label: 'Banned now' }, { value: 'false', label: 'Not banned' }]}
        onChange={(banned) => onChange({ banned })}
      />
      <SelectField
        label="Daily limit"
        name="nearLimit"
        value={filters.nearLimit ?? ''}
        choices={[
          ANY,
          { value: 'true', label: '80% used or more' },
          { value: 'false', label: 'Less than 80% used' },
        ]}
        onChange={(nearLimit) => onChange({ nearLimit })}
      />
      <SelectField
        label="Today"
        name="usedToday"
        value={filters.usedToday ?? ''}
        choices={[ANY, ...USES]}
        onChange={(usedToday) => onChange({ usedToday })}
      />
      <div class="on-phone">
        <SelectField
          label="Order"
          name="orderBy"
          value={filters.orderBy ?? 'createdAt'}
          choices={ORDERS}
          onChange={(orderBy) => onChange({ orderBy })}
        />
      </div>
    </div>
  );
}
