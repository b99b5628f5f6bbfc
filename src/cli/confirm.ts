import { createInterface } from 'node:readline/promises';
import { invalidRequest } from '../lib/errors.js';

/**
 * Asks a person at a terminal to type a word before an action that cannot be undone. Programs pass `--yes` instead.
 * @throws ApiError invalid_request for another word, or if standard input is not a terminal
 */
export async function confirmByTyping(question: string, word: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw invalidRequest({ field: 'yes', message: 'nobody can be asked here: say that it is meant' });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if ((await terminal.question(question)) !== word)
      throw invalidRequest({ field: 'project', message: 'that is another name: nothing is deleted' });
  } finally {
    terminal.close();
  }
}
