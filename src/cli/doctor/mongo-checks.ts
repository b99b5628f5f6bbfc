import type { Connection } from 'mongoose';
import { API_KEYS_COLLECTION } from '../../features/keys/mongo-api-key-document.js';
import { clockOffsetMs, mongodbVersion } from '../../platform/mongo/connection.js';
import { knownFaultOf } from '../../platform/mongod/known-faults.js';
import { clockCheck } from '../../features/system/mongo-readiness.js';
import { fault, ok, warning, type Finding } from './finding.js';

const PROBES = 'doctorProbes';
const WRITE_TIMEOUT_MS = 5000;

/** Checks that the database supports the operations that the gateway needs. */
export async function checkMongo(connection: Connection, nowMs: number): Promise<Finding[]> {
  return [await checkVersion(connection, nowMs), await checkWrites(connection), await checkClock(connection)];
}

async function checkVersion(connection: Connection, nowMs: number): Promise<Finding> {
  const version = await mongodbVersion(connection);
  const knownFault = knownFaultOf(version, nowMs);
  return knownFault === undefined
    ? ok('MongoDB', `version ${version}, ${connection.name}`)
    : warning('MongoDB', knownFault, 'docs/upgrading.md says how to change the version of MongoDB.');
}

async function checkWrites(connection: Connection): Promise<Finding> {
  const check = 'majority writes';
  const probes = connection.getClient().db(connection.name).collection<{ _id: string }>(PROBES);
  try {
    await probes.updateOne(
      { _id: 'probe' },
      { $set: { at: new Date() } },
      { upsert: true, writeConcern: { w: 'majority', journal: true, wtimeoutMS: WRITE_TIMEOUT_MS } },
    );
    await probes.drop();
    return ok(check, 'acknowledged');
  } catch (error) {
    return fault(
      check,
      (error as Error).message,
      'The user of MONGODB_URI needs readWrite on the database, and a majority of the replica set must be up.',
    );
  }
}

async function checkClock(connection: Connection): Promise<Finding> {
  const found = clockCheck(await clockOffsetMs(connection));
  return found === 'ok'
    ? ok('clock', "within a second of MongoDB's")
    : warning('clock', found, 'Have both machines set their clocks by NTP.');
}

/**
 * Whether a valid admin key is stored. Reads the collection directly, not through the key store, so that the check
 * creates nothing.
 */
export async function hasAdminKey(connection: Connection, now: Date): Promise<boolean> {
  const keys = connection.getClient().db(connection.name).collection(API_KEYS_COLLECTION);
  const isActive = {
    revokedAt: null,
    disabledAt: null,
    $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
  };
  return (await keys.findOne({ role: 'admin', ...isActive })) !== null;
}
