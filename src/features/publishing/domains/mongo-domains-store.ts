import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import { createBatcher } from '../../../lib/batcher.js';
import type { Clock } from '../../../lib/clock.js';
import { isDuplicateKey } from '../../../platform/mongo/error-codes.js';
import { fromStored, toStored } from '../../../platform/mongo/plain-values.js';
import {
  NO_CERTIFICATE,
  statusOf,
  type CertificateTrack,
  type DnsTrack,
  type Domain,
  type NewDomain,
} from './domain.js';
import { LEFT_TO_OTHERS_MS, NameHeld, type Able, type DomainsStore } from './domains-store.js';
import type { Problem } from './problem.js';

interface DomainDocument {
  _id: string;
  projectId: string;
  isPlatform?: boolean;
  name: string;
  unicode: string;
  registrable: string;
  isApex: boolean;
  label: string;
  createdAt: Date;
  ownershipToken: string;
  ownershipRequired: boolean;
  holds: boolean;
  dns: DnsTrack;
  certificate: CertificateTrack;
  problem?: Problem | null | undefined;
  status: Domain['status'];
  actionRequiredAt?: Date | null | undefined;
  nextRunAt?: Date | null | undefined;
  watchAt?: Date | null | undefined;
  leaseUntil?: Date | null;
  fence: number;
  /** Incremented by every change that affects requests; the change feed watches it. */
  revision: number;
}

const schema = new Schema<DomainDocument>(
  {
    _id: String,
    projectId: { type: String, required: true },
    isPlatform: Boolean,
    name: { type: String, required: true },
    unicode: { type: String, required: true },
    registrable: { type: String, required: true },
    isApex: { type: Boolean, required: true },
    label: String,
    createdAt: { type: Date, required: true },
    ownershipToken: { type: String, required: true },
    ownershipRequired: { type: Boolean, required: true },
    holds: { type: Boolean, required: true },
    dns: { type: Schema.Types.Mixed, required: true },
    certificate: { type: Schema.Types.Mixed, required: true },
    problem: Schema.Types.Mixed,
    status: { type: String, required: true },
    actionRequiredAt: Date,
    nextRunAt: Date,
    watchAt: Date,
    leaseUntil: Date,
    fence: { type: Number, default: 0 },
    revision: { type: Number, default: 0 },
  },
  { versionKey: false, minimize: false },
);
schema.index({ projectId: 1, name: 1 }, { unique: true });
schema.index({ name: 1 }, { unique: true, partialFilterExpression: { holds: true }, name: 'holder' });
schema.index({ nextRunAt: 1 });
schema.index({ watchAt: 1 });
schema.index({ registrable: 1, createdAt: 1 });
// For the ids of the encryption keys in use, which every gateway reads several times a minute.
schema.index({ 'certificate.current.privateKey.keyId': 1 });
schema.index({ 'certificate.issuance.privateKey.keyId': 1 });

/** Records permanently which project held which name. Once any project held a name, others need proof of ownership. */
interface HoldingDocument {
  _id: string;
  name: string;
  registrable: string;
  projectId: string;
  since: Date;
}

const holdingSchema = new Schema<HoldingDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    registrable: { type: String, required: true },
    projectId: { type: String, required: true },
    since: { type: Date, required: true },
  },
  { versionKey: false },
);
holdingSchema.index({ name: 1 });
holdingSchema.index({ registrable: 1 });

export const DOMAINS_COLLECTION = 'domains';
export const domainsCollection = collectionShape(DOMAINS_COLLECTION, schema);
export const holdingsCollection = collectionShape('domainHoldings', holdingSchema);

const NAMES_PER_QUERY = 200;
const ISSUING: CertificateTrack['state'][] = ['issuing', 'renewing'];

export function createMongoDomainsStore(connection: Connection, clock: Clock): DomainsStore {
  const model = connection.model<DomainDocument>('Domain', schema, DOMAINS_COLLECTION);
  const holdings = connection.model<HoldingDocument>('DomainHolding', holdingSchema, holdingsCollection.name);

  const found = (document: DomainDocument | null) => (document === null ? undefined : toDomain(document));
  const after = { returnDocument: 'after' } as const;

  /** Anybody can ask this for any name, so calls during a query share the next one. */
  const isIssuing = createBatcher<string, boolean>(
    {
      async send(names) {
        const asked = {
          name: { $in: [...new Set(names)] },
          holds: true,
          'certificate.state': { $in: ISSUING },
        };
        const found = await model.find(asked, { name: 1 }).lean();
        const issuing = new Set(found.map(({ name }) => name));
        return names.map((name) => issuing.has(name));
      },
      sizeOf: () => 1,
      maxSize: NAMES_PER_QUERY,
    },
    clock,
  );

  return {
    async insert(domain) {
      try {
        const document = toDocument(domain, clock());
        await model.create([document]);
        return toDomain(document);
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    async insertMissing(domains) {
      const writes = domains.flatMap((domain) => {
        const { _id, fence, revision, ...fields } = toDocument(domain, clock());
        const replaced = { problem: null, actionRequiredAt: null, ...fields, leaseUntil: null };
        // Raises the fence: a process that still has the record under its old name loses its claim.
        const replacement = { $set: replaced, $inc: { fence: 1, revision: 1 } };
        const insertion = { $setOnInsert: { ...fields, fence, revision } };
        return [
          { updateOne: { filter: { _id, name: { $ne: domain.name } }, update: replacement } },
          { updateOne: { filter: { _id }, update: insertion, upsert: true } },
        ];
      });
      if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    },
    get: async (id) => found(await model.findById(id).lean()),
    ofProject: async (projectId) =>
      (
        await model
          .find({ projectId, isPlatform: { $ne: true } })
          .sort({ createdAt: 1, _id: 1 })
          .lean()
      ).map(toDomain),
    // The index of names has only those that are held.
    named: async ({ name, registrable }, limit) =>
      (
        await model
          .find({ registrable, name, isPlatform: { $ne: true } })
          .sort({ createdAt: 1 })
          .limit(limit)
          .lean()
      ).map(toDomain),
    holderOf: async (name) => found(await model.findOne({ name, holds: true }).lean()),
    isIssuing,
    remove: async (id) => found(await model.findByIdAndDelete(id).lean()),
    async makeCertificatesDue(projectId, at) {
      await model.updateMany(
        { projectId, holds: true, 'certificate.issuance': { $exists: false } },
        // A process on one of them loses its claim: its step would store the time that it read before.
        { $set: { nextRunAt: at, 'certificate.nextAt': at, leaseUntil: null }, $inc: { fence: 1 } },
      );
    },
    async requestVerification(id, at) {
      const isVerified = { $eq: ['$dns.state', 'verified'] };
      // The problem stays until the check, and so does the status of a domain that has one and no valid certificate.
      const isStuck = {
        $and: [{ $gt: ['$problem', null] }, { $not: [{ $gt: ['$certificate.current.notAfter', at] }] }],
      };
      const asked = {
        'dns.requestedAt': at,
        'dns.failures': 0,
        'dns.state': { $cond: [isVerified, 'verified', 'verifying'] },
        status: { $cond: [{ $or: [isVerified, isStuck] }, '$status', 'verifying'] },
        nextRunAt: at,
        revision: { $add: ['$revision', 1] },
      };
      return found(
        await model
          .findOneAndUpdate({ _id: id }, [{ $set: asked }], { ...after, updatePipeline: true })
          .lean(),
      );
    },

    async isClaimedElsewhere({ name, registrable, projectId }, leadsBy, pendingSince) {
      const elsewhere = { projectId: { $ne: projectId } };
      const names = leadsBy === 'addresses' ? { registrable } : { name };
      if ((await holdings.exists({ ...names, ...elsewhere })) !== null) return true;
      if (leadsBy === 'name') return false;
      const pending = {
        registrable,
        ...elsewhere,
        isPlatform: { $ne: true },
        createdAt: { $gte: pendingSince },
      };
      return (await model.exists(pending)) !== null;
    },
    wasHeld: async (name) => (await holdings.exists({ name })) !== null,
    async recordHolding({ name, registrable, projectId }, at) {
      await holdings.updateOne(
        { _id: `${name} ${projectId}` },
        { $setOnInsert: { name, registrable, projectId, since: at } },
        { upsert: true },
      );
    },
    async takeOver({ id, name }, newToken, problemOf) {
      const others = { name, holds: true, _id: { $ne: id } };
      const held = found(await model.findOne(others).lean());
      if (held === undefined) return undefined;
      const loser = { ...held, ownershipToken: newToken };
      const problem = toStored(await problemOf(loser));
      const { requestedAt } = held.dns;
      const dns = { state: 'failed', requestedAt, answeredAt: requestedAt, failures: 1, problem } as const;
      await model.updateOne(others, {
        $set: {
          holds: false,
          ownershipToken: newToken,
          ownershipRequired: true,
          dns: toStored(dns),
          certificate: NO_CERTIFICATE,
          problem,
          ...statusFields({ dns, certificate: NO_CERTIFICATE, problem }, clock()),
          nextRunAt: null,
          watchAt: null,
        },
        // A process on this domain loses its claim.
        $inc: { fence: 1, revision: 1 },
      });
      return loser;
    },

    async claimDue(now, leaseMs, able = {}) {
      const due = dueFieldOf(able);
      const isLeft = { [due]: { $lte: new Date(now.getTime() - LEFT_TO_OTHERS_MS) } };
      const claimed = await model
        .findOneAndUpdate(
          {
            [due]: { $lte: now },
            ...ofOtherProjects(able),
            $and: [
              { $or: [{ leaseUntil: null }, { leaseUntil: { $lte: now } }] },
              { $or: [canBeOpened(able), isLeft] },
            ],
          },
          { $set: { leaseUntil: new Date(now.getTime() + leaseMs) }, $inc: { fence: 1 } },
          { ...after, sort: { [due]: 1 } },
        )
        .lean();
      if (claimed === null) return undefined;
      return { domain: toDomain(claimed), fence: claimed.fence, isWatch: able.work === 'watch' };
    },
    async save({ domain: { id, dns }, fence }, progress) {
      const { dns: lookedAt, nextRunAt, ...rest } = toStored(progress);
      const fields = { problem: null, watchAt: null, ...rest, leaseUntil: null };
      const claim = { _id: id, fence };
      try {
        const saved = await model.updateOne(
          { ...claim, 'dns.requestedAt': dns.requestedAt ?? null },
          {
            $set: {
              ...fields,
              dns: lookedAt,
              nextRunAt: nextRunAt ?? null,
              ...statusFields(progress, clock()),
            },
            $inc: { revision: 1 },
          },
        );
        if (saved.matchedCount === 1) return true;
        // Verify was chosen in the meantime, which made the domain due. This check does not answer that request, so its
        // DNS result is dropped.
        const kept = await model
          .findOneAndUpdate(claim, { $set: fields, $inc: { revision: 1 } }, after)
          .lean();
        if (kept === null) return false;
        await model.updateOne(
          { ...claim, 'dns.requestedAt': kept.dns.requestedAt ?? null },
          {
            $set: statusFields({ ...progress, dns: toDomain(kept).dns }, clock()),
            $inc: { revision: 1 },
          },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) throw new NameHeld(undefined, { cause: error });
        throw error;
      }
    },
    async nextDueAt(able = {}) {
      const due = dueFieldOf(able);
      const next = await model
        .findOne(
          { [due]: { $ne: null }, leaseUntil: null, ...ofOtherProjects(able), ...canBeOpened(able) },
          { nextRunAt: 1, watchAt: 1 },
        )
        .sort({ [due]: 1 })
        .lean();
      return next?.[due] ?? undefined;
    },
  };
}

/**
 * Removes a deleted project's customer domains and the record of its platform host, with certificates and keys. Runs on
 * every gateway, because records can exist even if PLATFORM_HOST is no longer set. The record of held names stays.
 */
export async function removeDomainsOf(connection: Connection, projectId: string): Promise<void> {
  await connection.collection(DOMAINS_COLLECTION).deleteMany({ projectId });
}

const SEALED_WITH = ['certificate.current.privateKey.keyId', 'certificate.issuance.privateKey.keyId'];

function dueFieldOf({ work }: Able): 'nextRunAt' | 'watchAt' {
  return work === 'watch' ? 'watchAt' : 'nextRunAt';
}

function ofOtherProjects({ exceptProjects = [] }: Able) {
  return { projectId: { $nin: [...exceptProjects] } };
}

function canBeOpened({ keyIds }: Able) {
  if (keyIds === undefined) return {};
  return Object.fromEntries(SEALED_WITH.map((path) => [path, { $in: [null, ...keyIds] }]));
}

/** The fields of an update. A time that no longer applies is cleared. */
function statusFields(...state: Parameters<typeof statusOf>) {
  const { status, actionRequiredAt = null } = statusOf(...state);
  return { status, actionRequiredAt };
}

function toDocument({ id, ...fields }: NewDomain, nowMs: number): DomainDocument {
  return { _id: id, fence: 0, revision: 0, ...toStored({ ...fields, ...statusOf(fields, nowMs) }) };
}

function toDomain(document: DomainDocument): Domain {
  const { _id: id, isPlatform = false, ...rest } = fromStored(document);
  const { projectId, name, unicode, registrable, isApex, label, createdAt, ownershipToken } = rest;
  const { ownershipRequired, holds, dns, certificate, problem, status, actionRequiredAt } = rest;
  const { nextRunAt, watchAt } = rest;
  return {
    id,
    projectId,
    isPlatform,
    ...{ name, unicode, registrable, isApex, label, createdAt, ownershipToken },
    ...{ ownershipRequired, holds, dns, certificate, problem, status, actionRequiredAt, nextRunAt, watchAt },
  };
}
