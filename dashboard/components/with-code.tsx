import type { ComponentChildren } from 'preact';
import { WholeWords } from './whole-words.js';

/** Shows the parts of a message of the API that stand between backticks, such as commands, as code. */
export function withCode(message: string): ComponentChildren {
  // A part without its second backtick stays as it is.
  return message
    .split(/`([^`]+)`/)
    .map((part, at) =>
      at % 2 === 1 ? <code key={at}>{part}</code> : <WholeWords key={at}>{part}</WholeWords>,
    );
}
