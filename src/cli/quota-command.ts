import { Argument, Command } from 'commander';
import { WINDOW_NAMES, type WindowName } from '../features/plans/window.js';
import type { CommandServices } from '../app/command-services.js';
import { withServices } from './context.js';
import { printRows, type Output } from './output.js';

export function quotaCommand(): Command {
  const quota = new Command('quota').description("a key's quota: see, reset, lift a ban");

  quota
    .command('show')
    .description('both windows and the ban; looking costs nothing')
    .argument('<keyId>', 'as keys list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, (services, output) => show(services, output, id)),
    );

  quota
    .command('reset')
    .description('begin a window anew, or both')
    .argument('<keyId>', 'as keys list shows it')
    .addArgument(new Argument('[window]', 'which one; both without it').choices(WINDOW_NAMES))
    .action((id: string, window: WindowName | undefined, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        await change.resetQuota(id, window);
        await show(services, output, id);
      }),
    );

  quota
    .command('unban')
    .description('lift a ban')
    .argument('<keyId>', 'as keys list shows it')
    .action((id: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        await change.liftBan(id);
        await show(services, output, id);
      }),
    );
  return quota;
}

async function show({ apiKeys, keyQuotas }: CommandServices, output: Output, id: string): Promise<void> {
  const { plan, windows, ban } = await keyQuotas.of(await apiKeys.get(id));
  const rows = windows.map(({ name, limit, used, remaining, resetAtMs }) => ({
    plan: plan ?? null,
    window: name,
    limit,
    used,
    remaining,
    resetAt: resetAtMs === undefined ? null : new Date(resetAtMs).toISOString(),
    bannedUntil: ban?.until.toISOString() ?? null,
  }));
  printRows(output, rows, 'This key has no quota.');
}
