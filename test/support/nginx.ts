import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tied } from './tied-command.js';
import { until } from './until.js';

export interface Nginx {
  /** Of its first process. */
  pid: number;
  /** All that it has complained of. */
  output: () => string;
  close: () => Promise<void>;
}

/**
 * An nginx of its own, from what would be in `conf.d`; it ends with this process.
 * @param port where `configuration` says that it listens, on 127.0.0.1
 */
export async function startNginx(configuration: string, port: number): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-nginx-'));
  const file = join(folder, 'nginx.conf');
  await writeFile(file, insideNginx(configuration, folder));
  const program = process.env['NGINX_BINARY'] ?? 'nginx';
  const child = spawn(...tied(program, ['-p', folder, '-c', file, '-e', 'stderr']), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = once(child, 'exit');
  await until('nginx to answer', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended:\n${output}`);
    return fetch(`http://127.0.0.1:${port}/health/live`).then(
      () => true,
      () => false,
    );
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async close() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a package has in /etc/nginx/nginx.conf; nothing is written outside the folder. */
export function insideNginx(configuration: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
error_log stderr warn;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${configuration}
}
`;
}
