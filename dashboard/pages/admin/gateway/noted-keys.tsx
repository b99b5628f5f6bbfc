import { ButtonLink } from '../../../components/button.js';
import { Card } from '../../../components/card.js';
import { Name } from '../../../components/name.js';
import { Meter } from '../../../components/meter.js';
import { Table } from '../../../components/table.js';
import { addressOf } from '../../../shell/addresses.js';
import { BanBadge } from '../../keys/ban-badge.js';
import { WINDOW_WORDS } from '../../keys/key-words.js';
import type { NotedKey } from './gateway-documents.js';

export interface NotedKeysProps {
  title: string;
  description: string;
  keys: readonly NotedKey[];
  /** Shown if there are no keys. */
  none: string;
  /** The list that has all of them: the text of its link, and its query. */
  all: { text: string; query: string };
}

/** Shows a few keys, with the use of their day and their ban. */
export function NotedKeys({ title, description, keys, none, all }: NotedKeysProps) {
  return (
    <Card
      title={title}
      description={description}
      actions={
        <ButtonLink isSmall href={`${addressOf.allKeys}?${all.query}`}>
          {all.text}
        </ButtonLink>
      }
    >
      {keys.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <Table
          caption={title}
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              header: 'Key',
              cell: ({ id, name, project }) => (
                <div class="named">
                  {project === null ? (
                    <Name>{name}</Name>
                  ) : (
                    <a href={addressOf.key(project.id, id)}>
                      <Name>{name}</Name>
                    </a>
                  )}
                  <span class="quiet small">
                    {project === null ? 'Admin key' : <Name>{`${project.name}, ${project.plan.name}`}</Name>}
                  </span>
                </div>
              ),
            },
            { header: WINDOW_WORDS.day, isMeter: true, cell: (key) => <Use of={key} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Use({ of: { quota } }: { of: NotedKey }) {
  const day = quota.windows.find(({ name }) => name === 'day');
  return (
    <div class="stack">
      {quota.ban !== null && <BanBadge until={quota.ban.until} />}
      {day === undefined ? (
        <span class="quiet">No daily limit</span>
      ) : (
        <Meter label={WINDOW_WORDS.day} value={day.used} max={day.limit} isLabelHidden />
      )}
    </div>
  );
}
