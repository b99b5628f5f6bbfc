import type { MigrationStep } from '../../platform/mongo/migration-step.js';
import { claimSlug } from '../../features/projects/slug.js';

/**
 * Projects per batch. Each takes two sequential writes, so the step notices a stop or a lost lease within about a
 * second.
 */
const PROJECTS_AT_ONCE = 50;

/** Gives a slug to each project created before sites existed. */
export const giveSlugs: MigrationStep = {
  id: 1,
  name: 'project slugs',
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
        // A slug that an interrupted run of this step has claimed.
        const claimed = await slugs.findOne({ projectId: id });
        const slug = claimed?._id ?? (await claimSlug(isClaimed, { id, name }, new Date()));
        await projects.updateOne({ _id: id, slug: null }, { $set: { slug }, $inc: { revision: 1 } });
      }
    }
  },
};
