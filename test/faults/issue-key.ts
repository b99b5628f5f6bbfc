import type { CustomQuota } from '../../src/features/plans/plans.js';
import { runCommand } from '../support/command-line.js';

/** The command line, on the database of a gateway that runs: what it answers. */
export async function command<T>(database: { uri: string }, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand(database, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A server key of a new project with this quota. */
export async function issueKey(
  database: { uri: string },
  { requestsPerMinute, requestsPerDay }: CustomQuota,
): Promise<{ id: string; secret: string }> {
  const quota = ['--per-minute', String(requestsPerMinute), '--per-day', String(requestsPerDay)];
  const project = await command<{ id: string }>(
    database,
    ...['projects', 'create', 'Shop', '--plan', 'enterprise', ...quota],
  );
  return command(database, 'keys', 'create', '--project', project.id);
}
