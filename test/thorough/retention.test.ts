import { daysKept } from '../platform/mongo/days-kept.js';
import { runCommand } from '../support/command-line.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { useRawDatabase } from '../support/use-raw-database.js';

const { database, raw } = useRawDatabase();

const kept = (collection: string) => daysKept(raw(), collection);

/** Starts so many gateways at once with these settings, and ends them. */
async function serve(count: number, env: Record<string, string> = {}): Promise<void> {
  const starting = Array.from({ length: count }, () =>
    startGatewayProcess({ MONGODB_URI: database.uri, ...env }),
  );
  for (const gateway of await Promise.all(starting)) expect(await gateway.stop()).toBe(0);
}

test('the audit log and usage end after the days that are set; a change holds from the next start, of a gateway alone', async () => {
  await serve(2);
  expect([await kept('audit'), await kept('usage')]).toEqual([[['at', 730]], [['endsAt', 400]]]);

  await serve(2, { AUDIT_RETENTION_DAYS: '30', USAGE_RETENTION_DAYS: '7' });
  expect([await kept('audit'), await kept('usage')]).toEqual([[['at', 30]], [['endsAt', 7]]]);
  // The command line may be run where the settings are not.
  expect((await runCommand(database, ['projects', 'list'])).code).toBe(0);
  expect(await kept('audit')).toEqual([['at', 30]]);

  await serve(1, { AUDIT_RETENTION_DAYS: '0' });
  expect(await kept('audit')).toEqual([]);
});
