import { transact } from '../mongo/connection.js';
import type { MigrationStep } from '../mongo/migration-step.js';
import { claimSlug } from '../projects/claim-slug.js';
import { createMongoProjectsStore } from '../projects/mongo-projects-store.js';

/** Projects from before there were sites have none. */
export const giveSlugs: MigrationStep = {
  id: 1,
  name: 'each project has a slug',
  kind: 'expand',
  async run(connection, signal) {
    const projects = createMongoProjectsStore(connection);
    for (const { id } of await projects.withoutSlug()) {
      signal.throwIfAborted();
      await transact(connection, async () => {
        const project = await projects.get(id);
        if (project !== undefined && project.slug === undefined)
          await projects.setSlug(id, await claimSlug(projects, project, new Date()));
      });
    }
  },
};
