import type { MigrationStep } from '../../platform/mongo/migration-step.js';
import { claimSlug } from '../../features/projects/claim-slug.js';

/** Two writes each, one after the other: about a second until a stop, or a lost lease, is noticed. */
const PROJECTS_AT_ONCE = 50;

/** Projects from before there were sites have none. */
export const giveSlugs: MigrationStep = {
  id: 1,
  name: 'each project has a slug',
  kind: 'expand',
  async run(connection, signal) {
    const db = connection.getClient().db(connection.name);
    const projects = db.collection<{ _id: string; name: string; slug?: string | null }>('projects');
    const slugs = db.collection<{ _id: string; projectId: string; givenAt: Date }>('slugs');

    async function isClaimed(_id: string, projectId: string, givenAt: Date): Promise<boolean> {
      const claim = { $setOnInsert: { projectId, givenAt } };
      return (await slugs.updateOne({ _id }, claim, { upsert: true })).upsertedCount === 1;
    }

    for (;;) {
      signal.throwIfAborted();
      const without = await projects.find({ slug: null }).limit(PROJECTS_AT_ONCE).toArray();
      if (without.length === 0) return;
      for (const { _id: id, name } of without) {
        // Claimed before this step was cut off.
        const claimed = await slugs.findOne({ projectId: id });
        const slug = claimed?._id ?? (await claimSlug(isClaimed, { id, name }, new Date()));
        await projects.updateOne({ _id: id, slug: null }, { $set: { slug }, $inc: { revision: 1 } });
      }
    }
  },
};
