import { Argument, Command } from 'commander';
import { WINDOW_NAMES, type WindowName } from '../features/plans/window.js';
import type { CommandServices } from '../app/command-services.js';
import { withServices } from './context.js';
import { findKeyId, KEY_ARGUMENT } from './find-key.js';
import { printRows, type Output } from './output.js';

export function quotaCommand(): Command {
  const quota = new Command('quota').description('show and reset the quota of a key, or lift its ban');

  quota
    .command('show')
    .description('show the windows and the ban; this costs no quota')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output) =>
        show(services, output, await findKeyId(services, text)),
      ),
    );

  quota
    .command('reset')
    .description('reset one window, or all')
    .argument(...KEY_ARGUMENT)
    .addArgument(new Argument('[window]', 'the window to reset (default: all)').choices(WINDOW_NAMES))
    .action((text: string, window: WindowName | undefined, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const id = await findKeyId(services, text);
        await change.resetQuota(id, window);
        await show(services, output, id);
      }),
    );

  quota
    .command('unban')
    .description('lift the ban of a key')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const id = await findKeyId(services, text);
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
    resetAt: resetAtMs === undefined ? null : new Date(resetAtMs),
    bannedUntil: ban?.until ?? null,
  }));
  printRows(output, rows, 'This key has no quota.');
}
