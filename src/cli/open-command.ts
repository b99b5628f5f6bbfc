import { spawn } from 'node:child_process';
import { Argument, Command } from 'commander';
import { outputOf } from './context.js';

const PATHS = { dashboard: '/dashboard', docs: '/docs', graphql: '/graphql' } as const;
type Page = keyof typeof PATHS;

export function openCommand(): Command {
  return new Command('open')
    .description('print the address of the dashboard, and open it in a browser where there is one')
    .addArgument(new Argument('[page]', 'the page to open').choices(Object.keys(PATHS)).default('dashboard'))
    .option('--print', 'only print the address')
    .action(async (page: Page, { print = false }: { print?: boolean }, command: Command) => {
      const { loadConfig } = await import('../config/config.js');
      const { askReadiness, gatewayOriginOf } = await import('./gateway-url.js');
      const config = loadConfig();
      const origin = await gatewayOriginOf(config);
      const found = await askReadiness(origin);
      if (found === 'nothing' || found === 'other')
        throw new Error(
          `${found === 'nothing' ? 'No gateway answers' : 'Another program answers'} at ${origin}. Start a gateway with \`npm start\`, or set PORT, HOST and DATA_DIR as your gateway has them.`,
        );
      const url = `${config.publicUrl ?? origin}${PATHS[page]}`;
      const { json, write } = outputOf(command);
      write(json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
      if (!json && !print && process.stdout.isTTY) openInBrowser(url);
    });
}

/** Does nothing where the system has no such program: the address is printed. */
function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
