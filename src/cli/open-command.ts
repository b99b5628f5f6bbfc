import { spawn } from 'node:child_process';
import { Argument, Command } from 'commander';
import { outputOf } from './context.js';

const PATHS = { dashboard: '/dashboard', docs: '/docs', graphql: '/graphql' } as const;
type Page = keyof typeof PATHS;

interface OpenOptions {
  print?: boolean;
  /** False with --no-sign-in. */
  signIn: boolean;
  key?: string;
}

export function openCommand(): Command {
  return new Command('open')
    .description(
      'print a link that signs in to the dashboard once, and open it in a browser where there is one',
    )
    .addArgument(new Argument('[page]', 'the page to open').choices(Object.keys(PATHS)).default('dashboard'))
    .option(
      '--key <key>',
      'sign in with this key: its id or name. You can omit it if there is only one admin key',
    )
    .option('--no-sign-in', 'use the address without a sign-in')
    .option('--print', 'only print the link')
    .action(async (page: Page, { print = false, signIn, key }: OpenOptions, command: Command) => {
      const { loadConfig } = await import('../config/config.js');
      const { askReadiness, gatewayOriginOf } = await import('./gateway-url.js');
      const config = loadConfig();
      const origin = await gatewayOriginOf(config);
      const found = await askReadiness(origin);
      if (found === 'nothing' || found === 'other')
        throw new Error(
          `${found === 'nothing' ? 'No gateway answers' : 'Another program answers'} at ${origin}. Start a gateway with \`npm start\`, or set PORT, HOST and DATA_DIR as your gateway has them.`,
        );
      const address = `${config.publicUrl ?? origin}${PATHS[page]}`;
      const { json, write } = outputOf(command);
      if (page !== 'dashboard' || !signIn) {
        show(address);
        return;
      }
      const { createSignInLink } = await import('./sign-in-link.js');
      const link = await createSignInLink(command, key);
      if ('reason' in link) {
        process.stderr.write(`You need a key to sign in, because ${link.reason}.\n`);
        show(address);
        return;
      }
      show(`${address}${link.fragment}`, link.expiresAt);
      if (!json) process.stderr.write(`Signs in once, until ${link.expiresAt.toISOString()}.\n`);

      function show(url: string, expiresAt?: Date) {
        write(json ? `${JSON.stringify({ url, expiresAt })}\n` : `${url}\n`);
        if (!json && !print && process.stdout.isTTY) openInBrowser(url);
      }
    });
}

/** Does nothing where the system has no such program: the address is printed. */
function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
