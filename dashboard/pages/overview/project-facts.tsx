import { useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { ExternalLink } from '../../components/external-link.js';
import { Name } from '../../components/name.js';
import { Time } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { ProjectOverview } from './overview-documents.js';
import { RenameProject } from './rename-project.js';
import { SiteAnimalsSetting, type SiteAnimalsSettingProps } from './site-animals.js';

export interface ProjectFactsProps extends Pick<SiteAnimalsSettingProps, 'onChanged'> {
  project: ProjectOverview;
}

export function ProjectFacts({ project, onChanged }: ProjectFactsProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { id, plan, primaryDomain, site, liveDeploy, domains, createdAt } = project;
  const primary = domains.find(({ name }) => name === primaryDomain);
  return (
    <Card title="Project">
      <dl class="facts facts-wide">
        <dt>Name</dt>
        <dd>
          <Name>{project.name}</Name>{' '}
          <Button isSmall label={`Rename ${project.name}`} onPress={() => setRenaming(true)}>
            Rename
          </Button>
          {isRenaming && (
            <RenameProject project={project} onRenamed={onChanged} onClose={() => setRenaming(false)} />
          )}
        </dd>
        <dt>Plan</dt>
        <dd>
          <a href={addressOf.plansOf(id)}>{plan.name}</a>
        </dd>
        <dt>Site</dt>
        <dd>
          {site === null ? (
            <span class="quiet">This gateway publishes no sites</span>
          ) : liveDeploy === null ? (
            <span class="quiet">{site.host} (not deployed yet)</span>
          ) : (
            <ExternalLink href={site.url}>{site.host}</ExternalLink>
          )}
        </dd>
        {site !== null && (
          <>
            <dt>Site shows</dt>
            <dd>
              <SiteAnimalsSetting project={project} onChanged={onChanged} />
            </dd>
          </>
        )}
        {primaryDomain !== null && (
          <>
            <dt>Primary domain</dt>
            <dd>
              {primary?.status === 'active' ? (
                <ExternalLink href={`https://${primary.name}/`}>{primaryDomain}</ExternalLink>
              ) : (
                <a href={addressOf.domains(id)}>{primaryDomain}</a>
              )}
            </dd>
          </>
        )}
        <dt>Live deploy</dt>
        <dd>
          {liveDeploy === null ? (
            <a href={addressOf.deploys(id)}>None yet</a>
          ) : (
            <>
              <a href={addressOf.deploys(id)}>#{liveDeploy.number}</a>, <Time at={liveDeploy.createdAt} />
              {liveDeploy.message !== null && (
                <div class="quiet">
                  <Name>{liveDeploy.message}</Name>
                </div>
              )}
            </>
          )}
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>ID</dt>
        <dd class="copied">
          <code>{id}</code> <CopyButton value={id} what="project ID" />
        </dd>
      </dl>
    </Card>
  );
}
