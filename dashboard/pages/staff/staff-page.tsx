import { useState } from 'preact/hooks';
import { curlOf } from '../../api/curl.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { Badge } from '../../components/notice.js';
import { Pager } from '../../components/pager.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { Until } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { REVOKE_KEY } from '../keys/key-documents.js';
import { LastUsed } from '../keys/key-use.js';
import { InvitePerson, RenewLink } from './invite-person.js';
import { CREATE_INVITATION, RENEW_INVITATION, STAFF, type Person } from './staff-documents.js';

type OpenDialog = { is: 'invite' } | { is: 'renew' | 'end'; person: Person };

/** The people who work on the animals of a project. */
export default function StaffPage({ projectId }: ProjectPageProps) {
  const [open, setOpen] = useState<OpenDialog>();
  const pages = usePages();
  const variables = { projectId, filter: { projectId, role: 'staff' as const }, after: pages.after };
  const query = useQuery(STAFF, variables);
  const { refetch } = query;
  const project = query.result?.project;
  const close = () => setOpen(undefined);
  const invite = () => setOpen({ is: 'invite' });

  return (
    <Page
      title="Staff"
      description={
        project && (
          <>
            Invite each person by a link of their own. Staff add, change, remove and import the animals of
            this project, and the audit log shows their names. Each person counts as a key of the plan:{' '}
            {project.activeApiKeys} of {project.plan.maxApiKeys} are active.{' '}
            <a href={addressOf.plansOf(projectId)}>Compare plans</a>
          </>
        )
      }
      actions={
        project && (
          <Button kind="primary" onPress={invite}>
            Invite a person
          </Button>
        )
      }
    >
      <Loaded query={query} skeletonRows={4}>
        {({ project: found, apiKeys }) => {
          if (found === null) return <NoSuchProject id={projectId} />;
          const people = apiKeys.edges.map(({ node }) => node);
          if (people.length === 0 && pages.number === 1)
            return (
              <Empty
                title="Nobody is invited yet"
                action={
                  <Button kind="primary" onPress={invite}>
                    Invite the first person
                  </Button>
                }
              >
                Each person gets a link that works once, so nobody shares a key.
              </Empty>
            );
          return (
            <Card>
              <Table
                caption="The staff of the project"
                rows={people}
                keyOf={({ id }) => id}
                columns={[
                  {
                    header: 'Name',
                    cell: ({ id, name }) => (
                      <a href={addressOf.key(projectId, id)}>
                        <Name>{name}</Name>
                      </a>
                    ),
                  },
                  { header: 'Access', cell: (person) => <Access of={person} /> },
                  { header: 'Last active', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
                  {
                    header: 'Actions',
                    isHeaderHidden: true,
                    cell: (person) =>
                      person.state !== 'revoked' && (
                        <div class="actions">
                          {person.state === 'active' && (
                            <Button
                              isSmall
                              label={`New link for ${person.name}`}
                              onPress={() => setOpen({ is: 'renew', person })}
                            >
                              New link
                            </Button>
                          )}
                          <Button
                            isSmall
                            kind="danger"
                            label={`End access of ${person.name}`}
                            onPress={() => setOpen({ is: 'end', person })}
                          >
                            End access
                          </Button>
                        </div>
                      ),
                  },
                ]}
              />
              <Pager pages={pages} pageInfo={apiKeys.pageInfo} what="people" />
            </Card>
          );
        }}
      </Loaded>
      <Calls
        calls={[
          { title: 'List the staff', code: curlOf(STAFF, variables) },
          {
            title: 'Invite a person',
            code: curlOf(CREATE_INVITATION, { input: { projectId, name: 'Maria Ruiz' } }),
          },
          {
            title: 'Create a new link for a person',
            code: curlOf(RENEW_INVITATION, { input: { apiKeyId: 'key_…' } }),
          },
          { title: 'End the access of a person', code: curlOf(REVOKE_KEY, { input: { id: 'key_…' } }) },
        ]}
      />
      {open?.is === 'invite' && <InvitePerson projectId={projectId} onDone={refetch} onClose={close} />}
      {open?.is === 'renew' && <RenewLink person={open.person} onDone={refetch} onClose={close} />}
      {open?.is === 'end' && <EndAccess person={open.person} onDone={refetch} onClose={close} />}
    </Page>
  );
}

function Access({ of: { state, invitedUntil } }: { of: Person }) {
  if (state === 'revoked') return <Badge>Ended</Badge>;
  if (state === 'disabled') return <Badge tone="warn">Disabled</Badge>;
  if (state === 'expired') return <Badge tone="warn">Expired</Badge>;
  if (invitedUntil === null) return <Badge tone="good">Active</Badge>;
  if (Date.parse(invitedUntil) <= Date.now()) return <Badge tone="warn">Invitation expired</Badge>;
  return (
    <span>
      <Badge tone="info">Invited</Badge> until <Until at={invitedUntil} />
    </span>
  );
}

interface EndAccessProps {
  person: Person;
  onDone: () => Promise<void>;
  onClose: () => void;
}

function EndAccess({ person: { id, name }, onDone, onClose }: EndAccessProps) {
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          End the access of <Name>{name}</Name>?
        </>
      }
      action="End access"
      isDangerous
      document={REVOKE_KEY}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`Ended the access of ${name}.`);
        void onDone();
      }}
      onClose={onClose}
    >
      <p>
        The sessions, the key and an open invitation of <Name>{name}</Name> stop working at once. What they
        changed stays in the audit log. To let them work again later, invite them again.
      </p>
    </FormDialog>
  );
}
