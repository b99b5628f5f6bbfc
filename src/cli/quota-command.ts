import { Argument, Command } from 'commander';
import { stateOf, type ApiKey } from '../features/keys/api-key.js';
import { currentBan } from '../features/plans/ban.js';
import { WINDOW_NAMES, type WindowName } from '../features/plans/window.js';
import type { KeyQuota } from '../features/quotas/key-quotas.js';
import type { CommandServices } from '../app/command-services.js';
import { ApiError } from '../lib/errors.js';
import { withServices } from './context.js';
import { findKeyId, KEY_ARGUMENT } from './find-key.js';
import { printRows, type Output, type Row } from './output.js';

export function quotaCommand(): Command {
  const quota = new Command('quota').description('show and reset the quota of a key, or lift its ban');

  quota
    .command('show')
    .description('show the windows, the strikes and the ban; this costs no quota')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output) => {
        const key = await services.apiKeys.get(await findKeyId(services, text));
        requireStore(await show(services, output, key));
      }),
    );

  quota
    .command('reset')
    .description('reset one window, or all')
    .argument(...KEY_ARGUMENT)
    .addArgument(new Argument('[window]', 'the window to reset (default: all)').choices(WINDOW_NAMES))
    .action((text: string, window: WindowName | undefined, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const id = await findKeyId(services, text);
        const { isStoreDown } = await show(services, output, await change.resetQuota(id, window));
        if (isStoreDown) say(output, '\nThe reset is recorded. It applies when the quota store is back.');
      }),
    );

  quota
    .command('unban')
    .description('lift the ban of a key, and say what else rejects its requests')
    .argument(...KEY_ARGUMENT)
    .action((text: string, _options: unknown, command: Command) =>
      withServices(command, async (services, output, change) => {
        const id = await findKeyId(services, text);
        const ban = currentBan((await services.apiKeys.get(id)).ban, Date.now());
        const key = await change.liftBan(id);
        const quota = await show(services, output, key, {
          wasBanned: ban !== undefined,
          state: stateOf(key, Date.now()),
        });
        say(output, '');
        say(
          output,
          ban === undefined
            ? 'The key was not banned.'
            : `Lifted the ban, which would have ended at ${ban.until.toISOString()}.`,
        );
        const others = otherRejections(key, quota);
        for (const sentence of others) say(output, sentence);
        if (quota.isStoreDown)
          say(output, 'The quota store does not answer, so it is unknown whether a limit is used up.');
        else if (others.length === 0) say(output, 'Nothing else rejects its requests now.');
      }),
    );
  return quota;
}

/** Prints the quota, without numbers while the quota store is down: this process has counted nothing itself. */
async function show(
  { keyQuotas }: CommandServices,
  output: Output,
  key: ApiKey,
  more: Row = {},
): Promise<KeyQuota> {
  const quota = await keyQuotas.of(key);
  const [strikes] = await keyQuotas.strikesOf([key]);
  const { plan, windows, ban, isStoreDown } = quota;
  const rows = windows.map(({ name, limit, used, remaining, resetAtMs }) => ({
    plan: plan ?? null,
    window: name,
    limit,
    used: isStoreDown ? null : used,
    remaining: isStoreDown ? null : remaining,
    resetAt: isStoreDown || resetAtMs === undefined ? null : new Date(resetAtMs),
    strikes: strikes?.count ?? null,
    strikesLeft: strikes?.left ?? null,
    bannedUntil: ban?.until ?? null,
    ...more,
  }));
  printRows(output, rows, 'This key has no quota.');
  return quota;
}

/**
 * Call it once everything known is printed.
 * @throws ApiError service_unavailable if the quota store is down, so that the windows are unknown
 */
export function requireStore({ isStoreDown }: Pick<KeyQuota, 'isStoreDown'>): void {
  if (!isStoreDown) return;
  throw new ApiError(
    'service_unavailable',
    'The quota store does not answer, so the used requests are unknown. Gateways apply local limits meanwhile. To see what is wrong, run `pets-gateway doctor`.',
  );
}

/** What rejects the key's requests apart from a ban, in sentences. */
function otherRejections(key: ApiKey, { windows, isStoreDown }: KeyQuota): string[] {
  const state = stateOf(key, Date.now());
  const ofState =
    state === 'active'
      ? []
      : [
          `The key is ${state}, so its requests get 401.${state === 'disabled' ? ' To let it work again, run `pets-gateway keys enable`.' : ''}`,
        ];
  const usedUp = isStoreDown ? [] : windows.filter(({ remaining }) => remaining === 0);
  return [
    ...ofState,
    ...usedUp.map(
      ({ name, limit, resetAtMs }) =>
        `The limit of the ${name} (${limit}) is used up, so requests get 429` +
        `${resetAtMs === undefined ? '' : ` until ${new Date(resetAtMs).toISOString()}`}. ` +
        `To reset it, run \`pets-gateway quota reset ${key.id} ${name}\`.`,
    ),
  ];
}

/** Tells a person something below the rows. Programs find it in the rows. */
function say({ json, write }: Output, sentence: string): void {
  if (!json) write(`${sentence}\n`);
}
