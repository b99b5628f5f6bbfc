import { ButtonLink } from '../../../components/button.js';
import { Card } from '../../../components/card.js';
import { Name } from '../../../components/name.js';
import { Table, type Column } from '../../../components/table.js';
import { addressOf } from '../../../shell/addresses.js';
import { BanBadge } from '../../keys/ban-badge.js';
import { WINDOW_WORDS } from '../../keys/key-words.js';
import { WindowMeter } from '../../keys/window-meter.js';
import type { NotedKey } from './gateway-documents.js';

export interface NotedKeysProps<Key extends NotedKey> {
  title: string;
  description: string;
  keys: readonly Key[];
  /** Shown if there are no keys. */
  none: string;
  /** The list that has all of them: the text of its link, and its query. */
  all: { text: string; query: string };
  /** What is said about each key; the use of its day, if omitted. */
  about?: Column<Key>;
}

/** Shows a few keys, with the use of their day and their ban, or with something else about them. */
export function NotedKeys<Key extends NotedKey>(props: NotedKeysProps<Key>) {
  const { title, description, keys, none, all } = props;
  const {
    about = {
      header: WINDOW_WORDS.day,
      isMeter: true,
      cell: (key: Key) => <Use of={key} />,
    },
  } = props;
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
            about,
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
        <WindowMeter window={day} quota={quota} isLabelHidden />
      )}
    </div>
  );
}
