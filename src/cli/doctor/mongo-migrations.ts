import type { Connection } from 'mongoose';
import { describeGap } from '../../platform/mongo/collections.js';
import { findPending, isNewDatabase, type WantedDatabase } from '../../platform/mongo/pending-migrations.js';
import { ok, warning, type Finding } from './finding.js';

const CHECK = 'migrations';

/** Reports the changes that this version would make to the database. @throws DatabaseTooNew; IndexConflict */
export async function checkPending(connection: Connection, wanted: WantedDatabase): Promise<Finding[]> {
  const found = await findPending(connection, wanted);
  if (isNewDatabase(found, wanted)) return [ok(CHECK, 'the database is new: the first start prepares it')];
  const { gaps, steps, contractSteps } = found;
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
