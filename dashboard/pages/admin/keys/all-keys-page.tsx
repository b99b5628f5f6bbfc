import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { curlOf } from '../../../api/curl.js';
import type { ApiKeyOrder } from '../../../api/schema-types.js';
import { useSession } from '../../../api/session-context.js';
import { usePages } from '../../../api/use-pages.js';
import { useQuery } from '../../../api/use-query.js';
import { Button } from '../../../components/button.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { useAnnounce } from '../../../components/announcer.js';
import { writeToClipboard } from '../../../components/copy-button.js';
import { useSelection } from '../../../components/selection.js';
import { Pager } from '../../../components/pager.js';
import { Empty, Loaded } from '../../../components/states.js';
import { addressOf } from '../../../shell/addresses.js';
import { FilterBar } from '../../../shell/filter-bar.js';
import { Page } from '../../../shell/page.js';
import { useFilters } from '../../../shell/use-filters.js';
import { CREATE_KEY, LIFT_BAN, REVOKE_KEY, type KeyWithProject } from '../../keys/key-documents.js';
import { CreateKey } from '../../keys/create-key.js';
import { choiceOf } from '../../keys/key-choices.js';
import { RevokeChosen } from '../../keys/revoke-chosen.js';
import { DisableKey, EnableKey } from '../../keys/disable-key.js';
import { EditKey } from '../../keys/edit-key.js';
import { RevokeKey } from '../../keys/revoke-key.js';
import { RotateKey } from '../../keys/rotate-key.js';
import { StoreDownNotice } from '../../keys/window-meter.js';
import { forAdmins } from '../for-admins.js';
import { ALL_KEYS } from './all-keys-documents.js';
import { KEY_FILTER_FIELDS, KEY_FILTERS } from './all-keys-filters.js';
import { AllKeysTable } from './all-keys-table.js';

const TITLE = 'Keys';

type OpenDialog =
  { is: 'create' } | { is: 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke'; key: KeyWithProject };

export default forAdmins(TITLE, AllKeysPage);

function AllKeysPage() {
  const { session } = useSession();
  const { filters, change } = useFilters(KEY_FILTERS);
  const pages = usePages(JSON.stringify(filters));
  const { orderBy = 'createdAt', banned, nearLimit, rejectedToday, usedToday, ...others } = filters;
  const filter = {
    ...others,
    banned: choiceOf(banned),
    nearLimit: choiceOf(nearLimit),
    rejectedToday: choiceOf(rejectedToday),
    usedToday: choiceOf(usedToday),
  };
  const variables = { filter, orderBy, after: pages.after };
  const query = useQuery(ALL_KEYS, variables);
  const [open, setOpen] = useState<OpenDialog>();
  const { route } = useLocation();
  const { refetch } = query;
  const close = () => setOpen(undefined);
  const selection = useSelection();
  const announce = useAnnounce();
  async function copyId(id: string) {
    announce(
      (await writeToClipboard(id)) ? 'Copied: key ID' : `The browser blocked copying. The ID is ${id}.`,
    );
  }
  const sortBy = (order: ApiKeyOrder) => ({
    isOn: orderBy === order,
    onToggle: () => change({ orderBy: orderBy === order ? '' : order }),
  });

  return (
    <Page
      title={TITLE}
      description="The keys of all projects, and all admin keys."
      actions={
        <Button kind="primary" onPress={() => setOpen({ is: 'create' })}>
          Create admin key
        </Button>
      }
    >
      <FilterBar label="Keys" filters={filters} onChange={change} fields={KEY_FILTER_FIELDS} />
      <Card>
        <Loaded query={query} skeletonRows={8}>
          {({ apiKeys: { edges, pageInfo } }) =>
            edges.length === 0 ? (
              <Empty title="No keys match these filters">Remove a filter to see more keys.</Empty>
            ) : (
              <>
                <RevokeChosen
                  keys={selection.chosenOf(edges.map(({ node }) => node))}
                  onClear={selection.clear}
                  onRevoked={refetch}
                />
                <StoreDownNotice quotas={edges.map(({ node }) => node.quota)} />
                <AllKeysTable
                  keys={edges.map(({ node }) => node)}
                  selection={selection}
                  onCopyId={({ id }) => void copyId(id)}
                  sortBy={sortBy}
                  onChanged={refetch}
                  onEdit={(key) => setOpen({ is: 'edit', key })}
                  onRotate={(key) => setOpen({ is: 'rotate', key })}
                  onDisable={(key) => setOpen({ is: 'disable', key })}
                  onEnable={(key) => setOpen({ is: 'enable', key })}
                  onRevoke={(key) => setOpen({ is: 'revoke', key })}
                  onShowAudit={({ id }) => route(addressOf.auditOfKey(id))}
                />
                <Pager pages={pages} pageInfo={pageInfo} what="keys" />
              </>
            )
          }
        </Loaded>
      </Card>
      <Calls
        calls={[
          { title: 'List these keys', code: curlOf(ALL_KEYS, variables) },
          { title: 'Lift a ban', code: curlOf(LIFT_BAN, { input: { apiKeyId: 'key_…' } }) },
          { title: 'Revoke a key', code: curlOf(REVOKE_KEY, { input: { id: 'key_…' } }) },
          {
            title: 'Create an admin key',
            code: curlOf(CREATE_KEY, { input: { name: 'Jane, on call', role: 'admin' } }),
          },
        ]}
      />
      {open?.is === 'create' && <CreateKey onCreated={refetch} onClose={close} />}
      {open?.is === 'edit' && <EditKey apiKey={open.key} onChanged={refetch} onClose={close} />}
      {open?.is === 'rotate' && <RotateKey apiKey={open.key} onRotated={refetch} onClose={close} />}
      {open?.is === 'disable' && (
        <DisableKey
          apiKey={open.key}
          isOwn={open.key.id === session.keyId}
          onDone={refetch}
          onClose={close}
        />
      )}
      {open?.is === 'enable' && <EnableKey apiKey={open.key} onDone={refetch} onClose={close} />}
      {open?.is === 'revoke' && (
        <RevokeKey
          apiKey={open.key}
          isOwn={open.key.id === session.keyId}
          onRevoked={refetch}
          onClose={close}
        />
      )}
    </Page>
  );
}
