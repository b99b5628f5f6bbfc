import { ACTOR_ROLES, AUDIT_ACTIONS } from '../../../src/features/audit/audit-record.js';
import { Button } from '../../components/button.js';
import { Field, SelectField } from '../../components/field.js';
import { SearchField } from '../../components/search-field.js';
import { addressOf } from '../../shell/addresses.js';
import { ProjectPicker } from '../../shell/project-picker.js';
import { Filters } from '../../shell/filters.js';
import type { Filters as Chosen, UsedFilters } from '../../shell/use-filters.js';
import { ANY } from '../keys/key-choices.js';
import type { AuditLogVariables } from './audit-documents.js';
import { ACTION_CHOICES } from './audit-words.js';

export const AUDIT_FILTERS = {
  projectId: 'text',
  action: AUDIT_ACTIONS,
  actorRole: ACTOR_ROLES,
  apiKeyId: 'text',
  actorKeyId: 'text',
  from: 'text',
  to: 'text',
} as const;

export interface AuditFiltersProps {
  filters: Chosen<typeof AUDIT_FILTERS>;
  onChange: UsedFilters<typeof AUDIT_FILTERS>['change'];
  /** Whether the page shows the changes of one project only. */
  isOfProject: boolean;
}

const ROLE_CHOICES = [
  ANY,
  { value: 'staff', label: 'A staff person' },
  { value: 'owner', label: 'An owner key' },
  { value: 'admin', label: 'An admin key' },
  { value: 'command line', label: 'The command line' },
  { value: 'gateway', label: 'The gateway itself' },
] as const;

export function AuditFilters({ filters, onChange, isOfProject }: AuditFiltersProps) {
  const { projectId } = filters;
  return (
    <Filters label="Audit log" count={Object.values(filters).filter(Boolean).length}>
      {!isOfProject && (
        <div class="field">
          <span class="field-label">Project</span>
          <div class="actions">
            <ProjectPicker projectId={projectId} hrefOf={withProject} />
            {projectId !== undefined && (
              <Button isSmall onPress={() => onChange({ projectId: '' })}>
                All projects
              </Button>
            )}
          </div>
        </div>
      )}
      <SelectField
        label="Action"
        name="action"
        value={filters.action ?? ''}
        choices={[ANY, ...ACTION_CHOICES]}
        onChange={(action) => onChange({ action })}
      />
      <SelectField
        label="Made by"
        name="actorRole"
        value={filters.actorRole ?? ''}
        choices={ROLE_CHOICES}
        onChange={(actorRole) => onChange({ actorRole })}
      />
      <SearchField
        label="Target key ID"
        name="apiKeyId"
        placeholder="key_…"
        value={filters.apiKeyId ?? ''}
        onSearch={(id) => onChange({ apiKeyId: id.trim() })}
      />
      <SearchField
        label="Actor key ID"
        name="actorKeyId"
        placeholder="key_…"
        value={filters.actorKeyId ?? ''}
        onSearch={(id) => onChange({ actorKeyId: id.trim() })}
      />
      <Field
        label="From"
        name="from"
        type="date"
        value={filters.from ?? ''}
        onChange={(from) => onChange({ from })}
      />
      <Field label="To" name="to" type="date" value={filters.to ?? ''} onChange={(to) => onChange({ to })} />
    </Filters>
  );
}

/** Keeps the other filters. */
function withProject(projectId: string): string {
  const search = new URLSearchParams(location.search);
  search.set('projectId', projectId);
  return `${addressOf.audit}?${search.toString()}`;
}

/** The days are days of the reader's time zone, both included. */
export function variablesOf({
  action,
  actorRole,
  from,
  to,
  ...ids
}: AuditFiltersProps['filters']): AuditLogVariables {
  return { ...ids, filter: { action, actorRole, from: startOf(from, 0), to: startOf(to, 1) } };
}

/** The start of a day, or of the day after it. Undefined for a text that is no date. */
function startOf(day: string | undefined, laterDays: number): string | undefined {
  const at = new Date(`${day}T00:00`);
  if (day === undefined || Number.isNaN(at.getTime())) return undefined;
  at.setDate(at.getDate() + laterDays);
  return at.toISOString();
}
