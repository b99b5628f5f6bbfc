import type { Connection, mongo } from 'mongoose';
import { wantedIndex, type WantedIndex } from '../../../platform/mongo/collection-shape.js';
import { fromStored } from '../../../platform/mongo/plain-values.js';
import { PLANS_WITHOUT_DOMAINS } from '../../plans/plans.js';
import { PROJECTS_COLLECTION } from '../../projects/mongo-projects-store.js';
import type { DomainStatus } from './domain.js';
import { NO_DOMAINS, type DomainStatistics } from './domain-statistics.js';
import { DOMAINS_COLLECTION } from './mongo-domains-store.js';
import type { Problem } from './problem.js';

/**
 * Covers all fields that a status depends on, so that no domain document is read: their certificates make them large.
 */
const STATUS_INDEX = {
  isPlatform: 1,
  projectId: 1,
  holds: 1,
  status: 1,
  actionRequiredAt: 1,
} as const;
const END = 'certificate.current.notAfter';

/** The indexes that these queries need on the domains collection. */
export const STATISTICS_INDEXES: readonly WantedIndex[] = [
  wantedIndex(STATUS_INDEX, { name: 'status' }),
  wantedIndex(
    { [END]: 1 },
    { name: 'certificate_end', partialFilterExpression: { [END]: { $exists: true } } },
  ),
];

/** Limits each query's time. */
const MAX_READ_MS = 5000;

interface CertifiedDocument {
  _id: string;
  projectId: string;
  name: string;
  certificate: { current: { notAfter: Date } };
  problem?: Problem | null;
}

/** @param graceMs how long domains keep working after the project's plan stops including them */
export function createMongoDomainStatistics(
  connection: Connection,
  { graceMs }: { graceMs: number },
): DomainStatistics {
  const domains = connection.collection<CertifiedDocument>(DOMAINS_COLLECTION);

  return {
    async byStatus(now) {
      const rows = await domains
        .aggregate<{ _id: DomainStatus; count: number }>(countByStatus(now, graceMs), {
          hint: 'status',
          maxTimeMS: MAX_READ_MS,
        })
        .toArray();
      return { ...NO_DOMAINS, ...Object.fromEntries(rows.map(({ _id, count }) => [_id, count])) };
    },
    async needingAction(now, first) {
      const found = await domains
        .aggregate<Pick<CertifiedDocument, '_id' | 'projectId' | 'name' | 'problem'>>(
          [
            { $match: needsAction(now) },
            { $project: { projectId: 1, holds: 1, name: 1, problem: 1 } },
            projectsBy('projectId'),
            { $match: { $expr: { $not: { $and: ['$holds', isSuspended(now, graceMs)] } } } },
            { $limit: first },
          ],
          { hint: 'status', maxTimeMS: MAX_READ_MS },
        )
        .toArray();
      return found.map(({ _id, projectId, name, problem }) => ({
        domainId: _id,
        projectId,
        name,
        problem: fromStored(problem) ?? undefined,
      }));
    },
    async due(now) {
      const isDue = { nextRunAt: { $lte: now } };
      const [due, oldest] = await Promise.all([
        domains.countDocuments(isDue, { maxTimeMS: MAX_READ_MS }),
        domains.findOne<{ nextRunAt: Date }>(isDue, { projection: { nextRunAt: 1 }, sort: { nextRunAt: 1 } }),
      ]);
      return { due, oldestDueAt: oldest?.nextRunAt };
    },
    countCertificates(after = EARLIEST, until) {
      const ends = { $gt: after, ...(until && { $lte: until }) };
      return domains.countDocuments({ [END]: ends }, { maxTimeMS: MAX_READ_MS });
    },
    async certificatesUntil(end, first) {
      const found = await domains
        .find(
          { [END]: { $lte: end } },
          { projection: { projectId: 1, name: 1, [END]: 1, problem: 1 }, maxTimeMS: MAX_READ_MS },
        )
        .sort({ [END]: 1 })
        .limit(first)
        .toArray();
      return found.map(({ _id, projectId, name, certificate, problem }) => ({
        domainId: _id,
        projectId,
        name,
        expiresAt: certificate.current.notAfter,
        problem: fromStored(problem) ?? undefined,
      }));
    },
  };
}

const EARLIEST = new Date(0);

/** Uses only fields of STATUS_INDEX, so that no other domain document is read. */
function needsAction(now: Date): mongo.Filter<CertifiedDocument> {
  return {
    isPlatform: { $ne: true },
    $or: [{ status: 'action_required' }, { actionRequiredAt: { $lte: now } }],
  };
}

/** Counts domains by the status that domainStateOf (domain.ts) returns. */
function countByStatus(now: Date, graceMs: number): mongo.Document[] {
  // In MongoDB's order, a missing value is less than any date.
  const isDue = { $and: [{ $gt: ['$actionRequiredAt', null] }, { $lte: ['$actionRequiredAt', now] }] };
  const status = { $cond: [isDue, 'action_required', '$status'] };
  return [
    { $match: { isPlatform: { $ne: true } } },
    // Only a domain that its project holds can be suspended. The others are grouped without a project.
    { $group: { _id: { projectId: { $cond: ['$holds', '$projectId', null] }, status }, count: { $sum: 1 } } },
    projectsBy('_id.projectId'),
    {
      $group: {
        _id: { $cond: [isSuspended(now, graceMs), 'suspended', '$_id.status'] },
        count: { $sum: '$count' },
      },
    },
  ];
}

/** Joins the project whose id is in this field, if there is one, as `projects`. */
function projectsBy(localField: string): mongo.Document {
  return {
    $lookup: { from: PROJECTS_COLLECTION, localField, foreignField: '_id', as: 'projects' },
  };
}

/** Whether the plan of the joined project no longer includes domains, and the grace period is over. */
function isSuspended(now: Date, graceMs: number): mongo.Document {
  const hasEnded = {
    $and: [
      { $in: ['$$project.plan', PLANS_WITHOUT_DOMAINS] },
      { $lte: [{ $ifNull: [{ $add: ['$$project.domainsLapsedAt', graceMs] }, '$$project.createdAt'] }, now] },
    ],
  };
  return { $anyElementTrue: { $map: { input: '$projects', as: 'project', in: hasEnded } } };
}
