import type { AuditState } from '../audit/audit-record.js';
import type { Deploy, FileContent, SiteTemplate } from '../publishing/deploys/deploy.js';
import {
  newDeployId,
  type CreateDeploy,
  type DeploysService,
} from '../publishing/deploys/deploys-service.js';
import type { ProjectsService } from '../projects/projects-service.js';
import type { AuditedChange } from './audited-change.js';
import { actorOf, type Changer } from '../keys/changer.js';

/** The changes that a caller can make to a project's site. */
export interface DeployChanges {
  /** Creates a deploy that awaits its upload, or with a template, a deploy that is live at once. */
  createDeploy(input: CreateDeploy & { template?: SiteTemplate | undefined }): Promise<Deploy>;
  /** Deploys these files, live at once. */
  deploySite(input: CreateDeploy, contents: readonly FileContent[]): Promise<Deploy>;
  /**
   * Receives the archive of a deploy that awaits it, and makes the deploy live, unless it has a `notLiveReason` then. A
   * bad archive leaves the site unchanged.
   */
  uploadDeploy(deploy: Deploy, archive: AsyncIterable<Uint8Array>): Promise<Deploy>;
  /** Makes another deploy live that is still stored, older or newer. */
  rollbackDeploy(projectId: string, deployId: string): Promise<Deploy>;
}

export interface DeployChangesParts {
  changer: Changer;
  deploys: DeploysService;
  projects: Pick<ProjectsService, 'get'>;
  record: (change: AuditedChange<Deploy>) => Promise<Deploy>;
  transact: (run: () => Promise<void>) => Promise<void>;
  /** Called within the transaction that makes a deploy live. */
  onLive: (projectId: string) => Promise<void>;
  /** Called when old deploys could not be removed; the next deploy removes them. */
  onLeftOver: (error: unknown) => void;
}

export function deployChanges(parts: DeployChangesParts): DeployChanges {
  const { changer, deploys, projects, record, transact, onLive, onLeftOver } = parts;
  const actor = actorOf(changer);

  async function goLive(
    action: 'deploy.publish' | 'deploy.rollback',
    projectId: string,
    run: () => Promise<Deploy>,
  ): Promise<Deploy> {
    const deploy = await record({
      action,
      before: async () => stateOfSite(await deploys.live(projectId)),
      async run() {
        const deploy = await run();
        if (isLive(deploy)) await onLive(projectId);
        return deploy;
      },
      describe: async (deploy) => ({
        target: { projectId },
        after: isLive(deploy)
          ? stateOfSite(deploy)
          : { ...stateOfSite(await deploys.live(projectId)), readyDeploy: deploy.number },
        change: { projectId },
      }),
    });
    return deploy;
  }

  const removeOld = (newest: Deploy): Promise<void> =>
    transact(() => deploys.removeOld(newest)).catch(onLeftOver);

  /** @param run publishes the stored files of the deploy */
  async function publish(
    { id, projectId }: Pick<Deploy, 'id' | 'projectId'>,
    run: () => Promise<Deploy>,
  ): Promise<Deploy> {
    let published: Deploy;
    try {
      published = await goLive('deploy.publish', projectId, run);
    } catch (error) {
      await deploys.discardFiles(id);
      throw error;
    }
    await removeOld(published);
    return published;
  }

  async function deploySite(input: CreateDeploy, contents: readonly FileContent[]): Promise<Deploy> {
    const deploy = { id: newDeployId(), projectId: input.projectId };
    const files = await deploys.storeFiles(deploy, contents);
    return publish(deploy, async () => {
      await deploys.create(input, actor, deploy.id);
      return deploys.publish(deploy.id, files);
    });
  }

  return {
    async createDeploy({ template, ...input }) {
      const { projectId } = input;
      if (template !== undefined) {
        const project = await projects.get(projectId);
        return deploySite(input, await deploys.template(template, project, changer));
      }
      const created = await record({
        action: 'deploy.create',
        run: () => deploys.create(input, actor),
        describe: ({ number, message = null }) => ({
          target: { projectId },
          after: { deploy: number, message },
          change: { projectId },
        }),
      });
      await removeOld(created);
      return created;
    },
    deploySite,
    async uploadDeploy(deploy, archive) {
      const files = await deploys.receive(deploy, archive);
      return publish(deploy, () => deploys.publish(deploy.id, files));
    },
    rollbackDeploy: (projectId, deployId) =>
      goLive('deploy.rollback', projectId, () => deploys.rollback(projectId, deployId)),
  };
}

/** Whether the change that returned this deploy made it live. */
function isLive({ notLiveReason }: Deploy): boolean {
  return notLiveReason === undefined;
}

function stateOfSite(live: Deploy | undefined): AuditState {
  return { liveDeploy: live?.number ?? null };
}
