import { main } from '../../src/cli/main.js';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line in this process, on this database: what it prints and its exit code. */
export async function runCommand(
  database: { uri: string },
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandResult> {
  const outerEnv = process.env;
  // No colors, whatever terminal runs the tests.
  process.env = { ...outerEnv, FORCE_COLOR: '0', MONGODB_URI: database.uri, ...env };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  try {
    const code = await main(['node', 'pets-gateway', ...args]);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.release();
    stderr.release();
    process.env = outerEnv;
  }
}

/** Runs a command with `--json`, which must succeed without a message. Returns what it prints. */
export async function runJson<T>(
  database: { uri: string },
  args: readonly string[],
  env?: Record<string, string>,
): Promise<T> {
  const { code, stdout, stderr } = await runCommand(database, [...args, '--json'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

function capture(stream: NodeJS.WriteStream): { text: () => string; release: () => void } {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
}
