import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useQuery } from '../../api/use-query.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { FailureNotice } from '../../components/form.js';
import { Loaded } from '../../components/states.js';
import { Page } from '../../shell/page.js';
import { NoSuchProject, PublishingOff } from '../../shell/no-project.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { AddDomain } from './add-domain.js';
import { DomainCalls } from './domain-calls.js';
import { DomainCard } from './domain-card.js';
import { PROJECT_DOMAINS, SET_PRIMARY_DOMAIN, type Domain, type Redirect } from './domain-documents.js';
import { pollAfterMs } from './domain-progress.js';
import { PlatformSubdomain } from './platform-subdomain.js';
import { Redirects } from './redirects.js';
import { RemoveDomain } from './remove-domain.js';
import { Lack, lackOf } from './requirements.js';
import { SetRedirect } from './set-redirect.js';
import { Troubleshooting } from './troubleshooting.js';

/** A domain that redirects elsewhere cannot be primary. */
function firstServed(domains: readonly Domain[], redirects: readonly Redirect[]): Domain | undefined {
  const leaves = new Set(redirects.map(({ from }) => from));
  return domains.find(({ name, status }) => status === 'active' && !leaves.has(name));
}

type OpenDialog = { is: 'add' } | { is: 'redirect'; from?: string } | { is: 'remove'; domain: Domain };

/** Project settings, Domains: the steps of section 1.1 of the specification. */
export default function DomainsPage({ projectId }: ProjectPageProps) {
  const query = useQuery(
    PROJECT_DOMAINS,
    { id: projectId },
    { pollAfterMs: ({ project }) => pollAfterMs(project?.domains ?? []) },
  );
  const setPrimary = useMutation(SET_PRIMARY_DOMAIN);
  const announce = useAnnounce();
  const [open, setOpen] = useState<OpenDialog>();
  const [added, setAdded] = useState<{ id: string; obstacles: readonly string[] }>();
  const { refetch } = query;
  const project = query.result?.project;
  const close = () => setOpen(undefined);

  async function choosePrimary(domainId: string | null, name: string) {
    if ((await setPrimary.run({ input: { projectId, domainId } })) === undefined) return;
    await refetch();
    announce(`${name} is now the primary domain.`);
  }

  return (
    <Page
      title="Domains"
      description="Serve the project’s site at your own domains. If a certificate authority is set up, the gateway issues and renews SSL certificates automatically."
      actions={
        project?.site &&
        lackOf(project) === undefined && (
          <Button kind="primary" onPress={() => setOpen({ is: 'add' })}>
            Add domain
          </Button>
        )
      }
    >
      <Loaded query={query} skeletonRows={6}>
        {(result) => {
          if (result.project === null) return <NoSuchProject id={projectId} />;
          const { domains, redirects, liveDeploy, primaryDomain, site } = result.project;
          if (site === null) return <PublishingOff />;
          const offered = primaryDomain === site.host ? firstServed(domains, redirects) : undefined;
          return (
            <>
              <Lack project={result.project} />
              {setPrimary.failure !== undefined && <FailureNotice failure={setPrimary.failure} />}
              {domains.map((domain) => (
                <DomainCard
                  key={domain.id}
                  domain={domain}
                  takesFocus={domain.id === added?.id}
                  obstacles={domain.id === added?.id ? added.obstacles : []}
                  primaryInstead={domain === offered ? site.host : undefined}
                  onChanged={refetch}
                  onSetPrimary={() => void choosePrimary(domain.id, domain.unicodeName)}
                  onRedirect={() => setOpen({ is: 'redirect', from: domain.name })}
                  onRemove={() => setOpen({ is: 'remove', domain })}
                />
              ))}
              <PlatformSubdomain
                site={site}
                isPrimary={primaryDomain === site.host}
                isDeployed={liveDeploy !== null}
                isBusy={setPrimary.isRunning}
                onSetPrimary={() => void choosePrimary(null, site.host)}
              />
              {domains.length > 0 && (
                <Redirects
                  projectId={projectId}
                  redirects={redirects}
                  onAdd={() => setOpen({ is: 'redirect' })}
                  onChanged={refetch}
                />
              )}
              <Troubleshooting isNeeded={domains.some(({ problem }) => problem !== null)} />
              <DomainCalls projectId={projectId} />
              {open?.is === 'add' && (
                <AddDomain
                  projectId={projectId}
                  onClose={close}
                  onAdded={(id, obstacles) => {
                    setAdded({ id, obstacles });
                    void refetch();
                  }}
                />
              )}
              {open?.is === 'redirect' && (
                <SetRedirect
                  projectId={projectId}
                  names={[...domains.map(({ name }) => name), site.host]}
                  from={open.from}
                  onClose={close}
                  onSet={refetch}
                />
              )}
              {open?.is === 'remove' && (
                <RemoveDomain
                  domain={open.domain}
                  redirects={redirects}
                  onClose={close}
                  onRemoved={refetch}
                  onRedirectInstead={() => setOpen({ is: 'redirect', from: open.domain.name })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
