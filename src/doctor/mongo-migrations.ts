import type { Connection } from 'mongoose';
import { describeGap } from '../mongo/collections.js';
import { findPending, type WantedDatabase } from '../mongo/pending-migrations.js';
import { ok, warning, type Finding } from './finding.js';

const CHECK = 'migrations';

/** What this version would change in the database. @throws DatabaseTooNew; IndexConflict */
export async function checkPending(connection: Connection, wanted: WantedDatabase): Promise<Finding[]> {
  const { gaps, steps, contractSteps } = await findPending(connection, wanted);
  const missing = gaps.filter(({ kind }) => kind === 'collection');
  if (missing.length === wanted.collections.length)
    return [ok(CHECK, 'the database is new: the first start prepares it')];
  const pending = [...gaps.map(describeGap), ...steps.map(({ name }) => name)];
  const waiting = contractSteps.map(({ name }) => name);
  return [
    pending.length === 0
      ? ok(CHECK, `what version ${wanted.version} needs has been done`)
      : warning(
          CHECK,
          `pending: ${pending.join('; ')}`,
          'The next start does it. `npx pets-gateway migrate` does it now, beside gateways that run.',
        ),
    ...(waiting.length === 0
      ? []
      : [
          warning(
            CHECK,
            `waiting until no older version is needed: ${waiting.join('; ')}`,
            'Once all gateways run this version for good: `npx pets-gateway migrate --contract`.',
          ),
        ]),
  ];
}
