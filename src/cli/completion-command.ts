import { Argument, Command } from 'commander';
import { renderCompletion, SHELLS, type Shell } from './completion.js';

/** @param programOf returns the root of the command line, whose commands and options the shell completes */
export function completionCommand(programOf: () => Command): Command {
  return new Command('completion')
    .description('print a script with which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
    .addHelpText(
      'after',
      `
To load the script in each new shell, add the line to its startup file:
  bash, ~/.bashrc:                   eval "$(pets-gateway completion bash)"
  zsh, ~/.zshrc, after compinit:     eval "$(pets-gateway completion zsh)"
  fish, ~/.config/fish/config.fish:  pets-gateway completion fish | source`,
    )
    .action((shell: Shell) => {
      process.stdout.write(renderCompletion(programOf(), shell));
    });
}
