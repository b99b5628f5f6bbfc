import { spawnSync } from 'node:child_process';

/** setpriv comes with util-linux; the one in BusyBox lacks the option, hence the trial. */
const TIE = ['setpriv', '--pdeathsig', 'KILL', '--'];
const canTie = spawnSync('setpriv', [...TIE.slice(1), 'true']).status === 0;

/**
 * How to run a program so that the kernel ends it with the process that started it, however that one ends. Where
 * that cannot be had, the program as it is.
 */
export function tied(program: string, args: readonly string[]): [program: string, args: string[]] {
  const [tie, ...rest] = canTie ? [...TIE, program, ...args] : [program, ...args];
  return [tie ?? program, rest];
}
