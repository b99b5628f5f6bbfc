import type { Connection } from 'mongoose';
import { projectModel } from './mongo-projects-store.js';
import type { ProjectRemovals } from './project-removals.js';

export function createMongoProjectRemovals(connection: Connection): ProjectRemovals {
  const model = projectModel(connection);
  return {
    async claim(now, leaseMs) {
      const claimed = await model
        .findOneAndUpdate(
          { removalDueAt: { $lte: now } },
          { $set: { removalDueAt: new Date(now.getTime() + leaseMs) } },
          { sort: { removalDueAt: 1 } },
        )
        .lean();
      return claimed?.deletedAt == null
        ? undefined
        : {
            projectId: claimed._id,
            deletedAt: claimed.deletedAt,
            pets: claimed.arePetsHandedOver === true ? 'handOver' : 'delete',
          };
    },
    async postpone(projectId, until) {
      await model.updateOne({ _id: projectId }, { $set: { removalDueAt: until } });
    },
    async finish(projectId) {
      await model.deleteOne({ _id: projectId, deletedAt: { $ne: null } });
    },
  };
}
