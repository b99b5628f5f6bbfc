import { createInterface } from 'node:readline/promises';
import { invalidRequest } from '../lib/errors.js';

/**
 * Asks a person at a terminal to type a word before an action that cannot be undone. Programs pass `--yes` instead.
 * @throws ApiError invalid_request for another word, or if standard input is not a terminal
 */
export async function confirmByTyping(
  question: string,
  word: string,
  done: 'deleted' | 'revoked' = 'deleted',
): Promise<void> {
  if (!process.stdin.isTTY)
    throw invalidRequest({
      field: 'yes',
      message:
        'standard input is not a terminal, so nobody can confirm. Add this option to go on without confirmation',
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if ((await terminal.question(question)) !== word)
      throw invalidRequest({ field: 'name', message: `it does not match. Nothing was ${done}` });
  } finally {
    terminal.close();
  }
}
