import { mongo, Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import { currentSession } from '../../platform/mongo/connection.js';
import { isDuplicateKey, unconfirmedWrite } from '../../platform/mongo/error-codes.js';
import { DAY_MS } from '../../lib/clock.js';
import type { Actor } from '../audit/audit-record.js';
import { FIELDS, toDocument, toPet, toUpdate, type PetDocument } from '../pets/mongo-pet-document.js';
import { petsCollection } from '../pets/mongo-pets-store.js';
import type { NewPet } from '../pets/pet.js';
import type { Rejection } from '../pets/import/insert-lines.js';
import {
  NO_COUNTS,
  type PetsImport,
  type PetsImportCounts,
  type PetsImportOptions,
  type PetsImportState,
} from './pets-import.js';
import type {
  ClaimedImport,
  PetsImportsStore,
  PlannedWrite,
  StoredRow,
  Written,
} from './pets-imports-store.js';

interface ImportDocument extends Omit<PetsImportOptions, 'deleteAtMost'> {
  _id: string;
  deleteAtMost?: number | null;
  state: PetsImportState;
  createdAt: Date;
  createdBy: Actor;
  expiresAt: Date;
  endedAt?: Date | null;
  lines: number;
  /** Lines that were rejected while the file was read. */
  unread: { rejected: number; rejections: Rejection[] };
  counts: PetsImportCounts;
  rejections: Rejection[];
  notRemovedReason?: string | null;
  problem?: string | null;
  /** All uploads that may have stored rows. */
  uploads: string[];
  /** The upload whose rows the import has. */
  upload?: string | null;
  startedBy?: Actor | null;
  /** The run that applies the import. */
  run?: string | null;
  phase?: 'plan' | 'write' | null;
  runs?: number | null;
  written?: Written | null;
  /** When the job looks at the import: its run has ended early, it waited too long, or its rows can be removed. */
  dueAt?: Date | null;
}

const ACTOR = { keyId: String, systemUser: String, role: String };
const REJECTIONS = [{ _id: false, line: Number, reason: String }];
const schema = new Schema<ImportDocument>(
  {
    _id: String,
    projectId: { type: String, required: true },
    existing: { type: String, required: true },
    deleteMissing: { type: Boolean, required: true },
    deleteAtMost: Number,
    dryRun: { type: Boolean, required: true },
    ignoreUnknown: { type: Boolean, required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true, expires: (30 * DAY_MS) / 1000 },
    createdBy: { type: ACTOR, _id: false, required: true },
    expiresAt: { type: Date, required: true },
    endedAt: Date,
    lines: { type: Number, required: true },
    unread: { rejected: Number, rejections: REJECTIONS },
    counts: { added: Number, changed: Number, unchanged: Number, removed: Number, rejected: Number },
    rejections: REJECTIONS,
    notRemovedReason: String,
    problem: String,
    uploads: [String],
    upload: String,
    startedBy: { type: ACTOR, _id: false },
    run: String,
    phase: String,
    runs: Number,
    written: { type: { stage: String, after: String }, _id: false },
    dueAt: Date,
  },
  { versionKey: false },
);
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
// One import of a project is applied at a time.
schema.index(
  { projectId: 1 },
  { name: 'applying', unique: true, partialFilterExpression: { state: 'applying' } },
);
schema.index({ projectId: 1, createdAt: -1 });

export const petsImportsCollection = collectionShape('petsImports', schema);

interface RowDocument extends Partial<NewPet> {
  /** The upload and the number: rows are ordered by the bytes of the number. */
  _id: string;
  /** 0: no line of the file, but a planned removal. */
  line: number;
  write?: 'add' | 'change' | 'remove';
  petId?: bigint;
  from?: NewPet;
  to?: NewPet;
}

const ROWS = 'petsImportRows';
export const petsImportRowsCollection = collectionShape(
  ROWS,
  new Schema<RowDocument>({ _id: String }, { versionKey: false }),
);

const DURABLY = { writeConcern: { w: 'majority', journal: true } } as const;
const WAITING = ['awaiting_file', 'checked'] as const;
const NOT_WRITTEN = { write: '', petId: '', from: '', to: '' } as const;

export function createMongoPetsImportsStore(connection: Connection): PetsImportsStore {
  const model = connection.model<ImportDocument>('PetsImport', schema, petsImportsCollection.name);
  const db = connection.getClient().db(connection.name);
  const options = { readPreference: 'primary', ignoreUndefined: true } as const;
  const rows = db.collection<RowDocument>(ROWS, options);
  const pets = db.collection<PetDocument>(petsCollection.name, options);

  async function changed(
    { petsImport, run }: ClaimedImport,
    update: Partial<ImportDocument>,
  ): Promise<boolean> {
    const { matchedCount } = await model.updateOne(
      { _id: petsImport.id, run, state: 'applying' },
      { $set: update },
      durably(),
    );
    return matchedCount === 1;
  }

  return {
    async insert(petsImport) {
      const { id, rejections: found, deleteAtMost = null, ...fields } = petsImport;
      const unread = { rejected: 0, rejections: [] };
      const dueAt = petsImport.expiresAt;
      await model.create([
        { _id: id, ...fields, deleteAtMost, rejections: [...found], unread, uploads: [], dueAt },
      ]);
    },
    async get(id) {
      const found = await model.findById(id).lean();
      return found === null ? undefined : toImport(found);
    },
    async beginUpload(id, upload) {
      const { matchedCount } = await model.updateOne(
        { _id: id, state: 'awaiting_file' },
        { $push: { uploads: upload } },
        DURABLY,
      );
      return matchedCount === 1;
    },
    async addRows(upload, added) {
      const documents = added.map(({ externalId, status, ...row }): RowDocument => ({
        _id: keyOf(upload, externalId),
        ...row,
        ...(status !== undefined && { status }),
      }));
      if (documents.length === 0) return [];
      try {
        // In order, so that the first of two lines with the same number is the one that stays.
        await rows.insertMany(documents, { ordered: false, ...DURABLY });
        return [];
      } catch (error) {
        return duplicatesIn(error).map((index) => documents[index]?.line ?? 0);
      }
    },
    async finishUpload(id, { upload, lines, rejected, rejections: found }, expiresAt, plan) {
      const unread = { rejected, rejections: [...found] };
      const done = await model
        .findOneAndUpdate(
          { _id: id, state: 'awaiting_file' },
          {
            $set: {
              state: 'checked',
              upload,
              lines,
              unread,
              expiresAt,
              dueAt: expiresAt,
              ...(plan && toPlanFields(plan)),
            },
          },
          { returnDocument: 'after' },
        )
        .lean();
      if (done === null) return undefined;
      // The job removes their rows. In order, so that two never expire each other.
      await model.updateMany(
        {
          projectId: done.projectId,
          state: 'checked',
          $or: [{ expiresAt: { $lt: expiresAt } }, { expiresAt, _id: { $lt: id } }],
        },
        { $set: { state: 'expired', dueAt: done.createdAt } },
      );
      return toImport(done);
    },
    async discard(id, upload) {
      if ((await model.exists({ _id: id, upload })) !== null) return;
      await rows.deleteMany({ _id: allOf(upload) });
    },
    async fail(id, problem, at) {
      await model.updateOne(
        { _id: id, state: { $in: WAITING } },
        { $set: { state: 'failed', problem, endedAt: at, dueAt: at } },
        DURABLY,
      );
    },
    async giveUp({ petsImport, run }, problem, at) {
      const { matchedCount } = await model.updateOne(
        { _id: petsImport.id, run, state: 'applying', phase: 'plan' },
        { $set: { state: 'failed', problem, endedAt: at, dueAt: at } },
        DURABLY,
      );
      return matchedCount === 1;
    },
    async begin(id, run, leaseEndsAt, startedBy) {
      try {
        const begun = await model
          .findOneAndUpdate(
            { _id: id, state: 'checked' },
            { $set: { state: 'applying', phase: 'plan', run, runs: 1, startedBy, dueAt: leaseEndsAt } },
            { returnDocument: 'after' },
          )
          .lean();
        return begun === null ? undefined : toClaimed(begun);
      } catch (error) {
        if (isDuplicateKey(error)) return 'other';
        throw error;
      }
    },
    extend: (claimed, leaseEndsAt) => changed(claimed, { dueAt: leaseEndsAt }),
    beginWrites: (claimed, plan) => changed(claimed, { phase: 'write', ...toPlanFields(plan) }),
    advance: (claimed, written, plan) => changed(claimed, { written, ...toPlanFields(plan) }),
    finish: (claimed, plan, at) =>
      changed(claimed, { state: 'done', endedAt: at, dueAt: at, ...toPlanFields(plan) }),

    async rows(upload, after, limit) {
      const found = await rows
        .find({ _id: after === undefined ? allOf(upload) : restOf(upload, after), line: { $gt: 0 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map((row) => toRow(upload, row));
    },
    async plan(upload, planned) {
      if (planned.length === 0) return;
      const updates = planned.map(({ externalId, write }) => ({
        updateOne: {
          filter: { _id: keyOf(upload, externalId) },
          update: write === undefined ? { $unset: NOT_WRITTEN } : { $set: toWriteFields(write) },
        },
      }));
      await rows.bulkWrite(updates, { ordered: false, ...durably() });
    },
    async planRemovals(upload, removals) {
      if (removals.length === 0) return;
      const updates = removals.map(({ externalId, petId, from }) => ({
        updateOne: {
          filter: { _id: keyOf(upload, externalId) },
          update: { $set: { line: 0, write: 'remove' as const, petId, from } },
          upsert: true,
        },
      }));
      await rows.bulkWrite(updates, { ordered: false, ...durably() });
    },
    async forgetRemovals(upload, externalIds) {
      const keys = externalIds.map((externalId) => keyOf(upload, externalId));
      await rows.deleteMany({ _id: { $in: keys }, line: 0 }, durably());
    },
    async writes(upload, kinds, after, limit) {
      const found = await rows
        .find({
          _id: after === undefined ? allOf(upload) : restOf(upload, after),
          write: { $in: [...kinds] },
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.flatMap((row) => toWrite(upload, row) ?? []);
    },

    async rowsWith(upload, externalIds) {
      const found = await rows
        .find(
          { _id: { $in: externalIds.map((externalId) => keyOf(upload, externalId)) }, line: { $gt: 0 } },
          { projection: { _id: 1 }, batchSize: externalIds.length + 1 },
        )
        .toArray();
      return new Set(found.map(({ _id }) => _id.slice(upload.length + 1)));
    },

    async petsWith(projectId, externalIds) {
      const found = await pets
        .find(
          { projectId, externalId: { $exists: true, $in: [...externalIds] } },
          { projection: FIELDS, batchSize: externalIds.length + 1, ...inTransaction() },
        )
        .toArray();
      return new Map(found.map((document) => [document.externalId ?? '', toPet(document)]));
    },
    async numberedPets(projectId, after, limit) {
      const found = await pets
        .find({ projectId, externalId: { $exists: true, $gt: after ?? '' } }, { projection: FIELDS })
        .sort({ externalId: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ externalId = '', ...document }) => ({ ...toPet(document), externalId }));
    },
    countPets: (projectId, limit) => pets.countDocuments({ projectId }, { limit }),
    // Without $exists, the index alone answers.
    countNumbered: (projectId, limit) =>
      pets.countDocuments({ projectId, externalId: { $gt: '' } }, { limit }),
    async addPets(projectId, adds, createdAt) {
      if (adds.length === 0) return;
      const documents = adds.map(({ petId, externalId, to }) =>
        toDocument({ id: petId, ...to, projectId, externalId, createdAt }),
      );
      await pets.insertMany(documents, inTransaction());
    },
    async changePets(projectId, changes) {
      if (changes.length === 0) return;
      const updates = changes.map(({ petId, from, to }) => ({
        updateOne: { filter: { _id: petId, projectId, ...from }, update: { $set: toUpdate(to) } },
      }));
      await pets.bulkWrite(updates, { ordered: false, ...inTransaction() });
    },
    async removePets(projectId, ids) {
      if (ids.length > 0) await pets.deleteMany({ _id: { $in: [...ids] }, projectId }, inTransaction());
    },

    async claimDue(now, run, leaseEndsAt) {
      const due = await model
        .findOneAndUpdate(
          { dueAt: { $lte: now } },
          { $set: { run, dueAt: leaseEndsAt }, $inc: { runs: 1 } },
          { sort: { dueAt: 1 }, returnDocument: 'after', ...DURABLY },
        )
        .lean();
      if (due === null) return undefined;
      return due.state === 'applying' ? toClaimed(due) : { over: toImport(due) };
    },
    async clear(id, now) {
      await model.updateOne(
        { _id: id, state: { $in: WAITING }, expiresAt: { $lte: now } },
        { $set: { state: 'expired' } },
        DURABLY,
      );
      const found = await model.findOne({ _id: id, state: { $nin: [...WAITING, 'applying'] } }).lean();
      if (found === null) return;
      for (const upload of found.uploads) await rows.deleteMany({ _id: allOf(upload) });
      await model.updateOne({ _id: id }, { $unset: { dueAt: 1 }, $set: { uploads: [] } });
    },
    async release({ petsImport, run }, now) {
      await model.updateOne(
        { _id: petsImport.id, run, state: 'applying' },
        { $set: { dueAt: now }, $inc: { runs: -1 } },
      );
    },
    async removeOfProject(projectId) {
      for await (const { _id, uploads } of model.find({ projectId }, { uploads: 1 }).lean().cursor()) {
        for (const upload of uploads) await rows.deleteMany({ _id: allOf(upload) });
        await model.deleteOne({ _id });
      }
    },
  };
}

/** The driver joins a transaction only by its session. */
function inTransaction() {
  const session = currentSession();
  return session === undefined ? {} : { session };
}

/** A transaction has a write concern of its own. */
function durably() {
  const session = currentSession();
  return session === undefined ? DURABLY : { session };
}

function keyOf(upload: string, externalId: string): string {
  return `${upload}:${externalId}`;
}

/** Keys compare by their bytes, and `;` is the byte after `:`. */
function allOf(upload: string) {
  return { $gt: `${upload}:`, $lt: `${upload};` };
}

function restOf(upload: string, after: string) {
  return { $gt: keyOf(upload, after), $lt: `${upload};` };
}

/** The indexes of the documents that exist. @throws the error, if it is about anything else */
function duplicatesIn(error: unknown): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  if (error.result.getWriteConcernError() !== undefined) throw unconfirmedWrite(error);
  const failures = [error.writeErrors].flat();
  if (failures.length === 0 || !failures.every(isDuplicateKey)) throw error;
  return failures.map(({ index }) => index);
}

function toWriteFields(write: PlannedWrite): Partial<RowDocument> {
  const { kind, petId } = write;
  if (kind === 'remove') return { write: kind, petId, from: write.from };
  return { write: kind, petId, to: write.to, ...(kind === 'change' && { from: write.from }) };
}

function toWrite(
  upload: string,
  { _id, line, write, petId, from, to }: RowDocument,
): PlannedWrite | undefined {
  const externalId = _id.slice(upload.length + 1);
  if (petId === undefined) return undefined;
  if (write === 'remove') return from && { kind: write, externalId, petId, from };
  if (to === undefined) return undefined;
  if (write === 'add') return { kind: write, externalId, petId, to, line };
  return from === undefined ? undefined : { kind: 'change', externalId, petId, from, to, line };
}

function toRow(upload: string, row: RowDocument): StoredRow {
  const { _id, write: _write, petId: _petId, from: _from, to: _to, ...fields } = row;
  const write = toWrite(upload, row);
  const missing = { name: '', categoryId: 0n, status: undefined };
  return { ...missing, ...fields, externalId: _id.slice(upload.length + 1), ...(write && { write }) };
}

function toPlanFields({
  counts,
  rejections: found,
  notRemovedReason,
}: {
  counts: PetsImportCounts;
  rejections: readonly Rejection[];
  notRemovedReason?: string | undefined;
}) {
  return { counts, rejections: [...found], notRemovedReason: notRemovedReason ?? null };
}

function toClaimed(document: ImportDocument): ClaimedImport {
  const { run, upload, phase, runs, written, lines, unread } = document;
  return {
    petsImport: toImport(document),
    run: run ?? '',
    // An earlier version did not store who started it.
    startedBy: toActor(document.startedBy ?? document.createdBy),
    file: { upload: upload ?? '', lines, ...unread },
    phase: phase ?? 'plan',
    runs: runs ?? 1,
    written: written ?? undefined,
  };
}

function toActor({ keyId, systemUser, role }: Actor): Actor {
  return { ...(keyId != null && { keyId }), ...(systemUser != null && { systemUser }), role };
}

function toImport({ _id, unread, ...document }: ImportDocument): PetsImport {
  const { projectId, existing, deleteMissing, deleteAtMost, dryRun, ignoreUnknown, state } = document;
  const { createdAt, createdBy, expiresAt, endedAt, lines, notRemovedReason, problem } = document;
  const isPlanned = document.rejections.length > 0 || Object.values(document.counts).some((n) => n > 0);
  return {
    id: _id,
    projectId,
    existing,
    deleteMissing,
    deleteAtMost: deleteAtMost ?? undefined,
    dryRun,
    ignoreUnknown,
    state,
    createdAt,
    createdBy: toActor(createdBy),
    expiresAt,
    lines,
    counts: isPlanned ? document.counts : { ...NO_COUNTS, rejected: unread.rejected },
    rejections: isPlanned ? document.rejections : unread.rejections,
    ...(endedAt && { endedAt }),
    ...(notRemovedReason != null && { notRemovedReason }),
    ...(problem != null && { problem }),
  };
}
