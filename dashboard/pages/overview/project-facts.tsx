import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { Icon } from '../../components/icon.js';
import { Time } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { ProjectOverview } from './overview-documents.js';

export function ProjectFacts({ project }: { project: ProjectOverview }) {
  const { id, plan, primaryDomain, site, liveDeploy, domains, createdAt } = project;
  const primary = domains.find(({ name }) => name === primaryDomain);
  return (
    <Card title="Project">
      <dl class="facts">
        <dt>Plan</dt>
        <dd>
          <a href={addressOf.plans}>{plan.name}</a>
        </dd>
        <dt>Site</dt>
        <dd>
          {site === null ? (
            <span class="quiet">This gateway publishes none</span>
          ) : liveDeploy === null ? (
            <span class="quiet">{site.host}, once something is deployed</span>
          ) : (
            <a href={site.url} target="_blank" rel="noreferrer">
              {site.host} <Icon name="external" />
            </a>
          )}
        </dd>
        {primaryDomain !== null && (
          <>
            <dt>Primary domain</dt>
            <dd>
              {primary?.status === 'active' ? (
                <a href={`https://${primary.name}/`} target="_blank" rel="noreferrer">
                  {primaryDomain} <Icon name="external" />
                </a>
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
            </>
          )}
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Id</dt>
        <dd class="copied">
          <code>{id}</code> <CopyButton value={id} what="project id" />
        </dd>
      </dl>
    </Card>
  );
}
