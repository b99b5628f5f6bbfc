import type { ApiKeyOrder } from '../../../api/schema-types.js';
import { Menu } from '../../../components/menu.js';
import { Name } from '../../../components/name.js';
import { selectColumn, type Selection } from '../../../components/selection.js';
import { Table, type Column, type Sort } from '../../../components/table.js';
import { addressOf } from '../../../shell/addresses.js';
import type { KeyWithProject } from '../../keys/key-documents.js';
import { KeyWindow, LastUsed } from '../../keys/key-use.js';
import { KeyState } from '../../keys/key-state.js';
import { ROLE_WORDS, WINDOW_NAMES, WINDOW_WORDS } from '../../keys/key-words.js';
import { LiftBan } from './lift-ban.js';

export interface AllKeysTableProps {
  keys: readonly KeyWithProject[];
  sortBy: (order: ApiKeyOrder) => Sort;
  onChanged: () => Promise<void>;
  onEdit: (key: KeyWithProject) => void;
  onRotate: (key: KeyWithProject) => void;
  onDisable: (key: KeyWithProject) => void;
  onEnable: (key: KeyWithProject) => void;
  onRevoke: (key: KeyWithProject) => void;
  onShowAudit: (key: KeyWithProject) => void;
  onCopyId: (key: KeyWithProject) => void;
  selection: Selection;
}

export function AllKeysTable(props: AllKeysTableProps) {
  const { keys, sortBy, onChanged, onEdit, onRotate, onDisable, onEnable, onRevoke, onShowAudit, onCopyId } =
    props;
  return (
    <Table
      caption="Keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        selectColumn(props.selection, (key: KeyWithProject) => key.state !== 'revoked'),
        { header: 'Key', cell: (key) => <Key of={key} /> },
        { header: 'Project', cell: (key) => <ProjectOf of={key} /> },
        {
          header: 'State',
          cell: (key) => (
            <div class="named">
              <KeyState apiKey={key} />
              {key.quota.ban !== null && <LiftBan apiKey={key} onLifted={onChanged} />}
            </div>
          ),
        },
        {
          header: 'Last used',
          sort: sortBy('lastUsedAt'),
          cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} />,
        },
        ...WINDOW_NAMES.map((name): Column<KeyWithProject> => ({
          header: WINDOW_WORDS[name],
          isMeter: true,
          ...(name === 'day' && { sort: sortBy('usageToday') }),
          cell: (key) => <KeyWindow of={key} name={name} />,
        })),
        {
          header: 'Actions',
          isHeaderHidden: true,
          cell: (key) => (
            <Menu
              label={`Actions for ${key.name}`}
              items={[
                ...(key.state === 'revoked'
                  ? []
                  : [
                      { label: 'Edit', onChoose: () => onEdit(key) },
                      { label: 'Rotate', onChoose: () => onRotate(key) },
                      ...(key.state === 'active'
                        ? [{ label: 'Disable', onChoose: () => onDisable(key) }]
                        : []),
                      ...(key.state === 'disabled'
                        ? [{ label: 'Enable', onChoose: () => onEnable(key) }]
                        : []),
                      { label: 'Revoke', onChoose: () => onRevoke(key), isDangerous: true },
                    ]),
                { label: 'Copy ID', onChoose: () => onCopyId(key) },
                { label: 'Audit log', onChoose: () => onShowAudit(key) },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

/** An admin key belongs to no project, so it has no page below one: its row shows everything about it. */
function Key({ of: { id, name, start, role, project } }: { of: KeyWithProject }) {
  return (
    <div class="named">
      {project === null ? (
        <strong>
          <Name>{name}</Name>
        </strong>
      ) : (
        <a href={addressOf.key(project.id, id)}>
          <Name>{name}</Name>
        </a>
      )}
      <span class="quiet small">
        {ROLE_WORDS[role]} <span class="mono">{start}…</span>
      </span>
    </div>
  );
}

function ProjectOf({ of: { project } }: { of: KeyWithProject }) {
  if (project === null) return <span class="quiet">All projects</span>;
  return (
    <div class="named">
      <a href={addressOf.keys(project.id)}>
        <Name>{project.name}</Name>
      </a>
      <span class="quiet small">{project.plan.name}</span>
    </div>
  );
}
