import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { ExternalLink } from '../../components/external-link.js';
import { FormDialog } from '../../components/form-dialog.js';
import { FailureNotice } from '../../components/form.js';
import { Pager } from '../../components/pager.js';
import { Empty, Loaded } from '../../components/states.js';
import { NoSuchProject, PublishingOff } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { DeployCalls, deployCommandOf } from './deploy-calls.js';
import {
  CREATE_DEPLOY,
  PROJECT_DEPLOYS,
  type CreateDeployVariables,
  type Deploy,
} from './deploy-documents.js';
import { DeployTable } from './deploy-table.js';
import { RollBack } from './roll-back.js';
import { UploadSite } from './upload-site.js';

type OpenDialog = { is: 'storefront' } | { is: 'upload' } | { is: 'roll back'; deploy: Deploy };

export default function DeploysPage({ projectId }: ProjectPageProps) {
  const pages = usePages();
  const query = useQuery(PROJECT_DEPLOYS, { id: projectId, after: pages.after });
  const publish = useMutation(CREATE_DEPLOY);
  const announce = useAnnounce();
  const [open, setOpen] = useState<OpenDialog>();
  const close = () => setOpen(undefined);
  const project = query.result?.project;

  async function showNewest(words: string) {
    close();
    pages.reset();
    await query.refetch();
    announce(words);
  }

  const storefront: CreateDeployVariables = {
    input: { projectId, template: 'storefront', message: 'Storefront template' },
  };
  const showStorefront = () => showNewest('Published the storefront.');
  async function publishStorefront() {
    if ((await publish.run(storefront)) !== undefined) await showStorefront();
  }

  const storefrontButton = (kind: 'primary' | 'secondary') => (
    <Button
      kind={kind}
      isBusy={publish.isRunning}
      // The new deploy replaces the site that visitors see now, so ask first.
      onPress={() => (project?.liveDeploy ? setOpen({ is: 'storefront' }) : void publishStorefront())}
    >
      {publish.isRunning ? 'Publishing…' : 'Publish the storefront'}
    </Button>
  );

  return (
    <Page
      title="Deploys"
      description="Each deploy is a version of the project’s site. The gateway keeps the newest ones, so you can roll back."
      actions={
        // A deploy would be stored, but no visitor could see it.
        project?.site && (
          <>
            {storefrontButton('secondary')}
            <Button kind="primary" onPress={() => setOpen({ is: 'upload' })}>
              Upload a site
            </Button>
          </>
        )
      }
    >
      {publish.failure !== undefined && <FailureNotice failure={publish.failure} />}
      <Loaded query={query} skeletonRows={6}>
        {(result) => {
          if (result.project === null) return <NoSuchProject id={projectId} />;
          const { deploys, liveDeploy, site } = result.project;
          const isEmpty = deploys.edges.length === 0 && pages.number === 1;
          return (
            <>
              {site === null && <PublishingOff />}
              {site !== null && liveDeploy !== null && (
                <p>
                  Deploy #{liveDeploy.number} is live at{' '}
                  <ExternalLink href={site.url}>{site.host}</ExternalLink>
                </p>
              )}
              {isEmpty && site !== null && (
                <>
                  <Empty title="No deploys yet" action={storefrontButton('primary')}>
                    The storefront is a ready-made site that shows the available animals. Publish it in one
                    click, or upload a folder of your own that contains an index.html.
                  </Empty>
                  <CodeBlock
                    title="Or publish a folder at the command line"
                    code={deployCommandOf(projectId)}
                  />
                </>
              )}
              {!isEmpty && (
                <Card>
                  <DeployTable
                    deploys={deploys.edges.map(({ node }) => node)}
                    onRollBack={(deploy) => setOpen({ is: 'roll back', deploy })}
                  />
                  <Pager pages={pages} pageInfo={deploys.pageInfo} what="deploys" />
                </Card>
              )}
              <DeployCalls projectId={projectId} />
            </>
          );
        }}
      </Loaded>
      {open?.is === 'storefront' && (
        <FormDialog
          title="Publish the storefront?"
          action="Publish"
          document={CREATE_DEPLOY}
          variables={() => storefront}
          onDone={() => void showStorefront()}
          onClose={close}
        >
          <p>
            It replaces deploy #{project?.liveDeploy?.number} for all visitors immediately. You can roll back
            to that deploy.
          </p>
        </FormDialog>
      )}
      {open?.is === 'upload' && (
        <UploadSite projectId={projectId} onDone={showNewest} onFailed={query.refetch} onClose={close} />
      )}
      {open?.is === 'roll back' && (
        <RollBack projectId={projectId} deploy={open.deploy} onDone={showNewest} onClose={close} />
      )}
    </Page>
  );
}
