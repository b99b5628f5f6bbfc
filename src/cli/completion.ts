import type { Argument, Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that a shell can complete, with its description. */
interface Candidate {
  word: string;
  description: string;
}

interface CandidateOption extends Candidate {
  /** Undefined for an option without a value; empty if the value is free. */
  values: readonly string[] | undefined;
}

/** A command with the words that can follow it. */
interface Place {
  /** The names of the command and its parents: `keys create`; empty for the program itself. */
  path: string;
  /** Subcommands, or the choices of the command's arguments. */
  words: readonly Candidate[];
  options: readonly CandidateOption[];
}

/** Returns a script that completes the commands, options and choices of a program. */
export function renderCompletion(program: Command, shell: Shell): string {
  const places = placesIn(program, '', program.options);
  return { bash, zsh, fish }[shell](program.name(), places);
}

function placesIn(command: Command, path: string, globalOptions: readonly Option[]): Place[] {
  const own = command.options.filter((option) => !globalOptions.includes(option));
  const options = [...own, ...globalOptions].filter(({ hidden, long }) => !hidden && long != null);
  const place: Place = {
    path,
    words: [
      ...command.commands.map((sub) => ({ word: sub.name(), description: sub.description() })),
      ...command.registeredArguments.flatMap(choicesOf),
    ],
    options: [
      ...options.map((option) => ({
        word: option.long ?? '',
        description: option.description,
        values: option.required ? (option.argChoices ?? []) : undefined,
      })),
      { word: '--help', description: 'show help', values: undefined },
    ],
  };
  const below = command.commands.map((sub) =>
    placesIn(sub, `${path} ${sub.name()}`.trimStart(), globalOptions),
  );
  return [place, ...below.flat()];
}

function choicesOf({ argChoices = [], description }: Argument): Candidate[] {
  return argChoices.map((word) => ({ word, description }));
}

function bash(name: string, places: readonly Place[]): string {
  const wordsOf = ({ words, options }: Place) => [...words, ...options].map(({ word }) => word).join(' ');
  return `# bash completion for ${name}
_pets_gateway() {
  local command= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      ${pathPattern(places)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${valuesIn(places, ({ option, values }) => `    ${quoted(option)}) words=${quoted(values.join(' '))} ;;`)}
    *) case "$command" in
${places.map((place) => `      ${quoted(place.path)}) words=${quoted(wordsOf(place))} ;;`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pets_gateway ${name}
`;
}

function zsh(name: string, places: readonly Place[]): string {
  const described = ({ words, options }: Place) =>
    [...words, ...options].map(({ word, description }) => quoted(`${word}:${description}`)).join(' ');
  return `#compdef ${name}
_pets_gateway() {
  local command= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
      (${pathPattern(places)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${valuesIn(places, ({ option, values }) => `    (${quoted(option)}) found=(${values.map(quoted).join(' ')}) ;;`)}
    (*) case "$command" in
${places.map((place) => `      (${quoted(place.path)}) found=(${described(place)}) ;;`).join('\n')}
    esac ;;
  esac
  _describe ${name} found || _files
}
compdef _pets_gateway ${name}
`;
}

function fish(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const begin = `complete -c ${name} -n "__pets_gateway_at '${path}'"`;
    return [
      ...words.map(({ word, description }) => `${begin} -f -a ${word} -d ${quotedForFish(description)}`),
      ...options.map(
        ({ word, description, values }) =>
          `${begin} -l ${word.slice('--'.length)}${valueForFish(values)} -d ${quotedForFish(description)}`,
      ),
    ];
  });
  return `# fish completion for ${name}
function __pets_gateway_at
  set -l command
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case ${textsOf(places).map(quotedForFish).join(' ')}
        set command (string trim "$command $word")
    end
  end
  test "$command" = "$argv"
end
${lines.join('\n')}
`;
}

function valueForFish(values: readonly string[] | undefined): string {
  if (values === undefined) return '';
  return values.length === 0 ? ' -r' : ` -x -a ${quotedForFish(values.join(' '))}`;
}

/** Each command after the names before it, as the scripts compare it: ` keys`, `keys create`. */
function textsOf(places: readonly Place[]): string[] {
  return places.flatMap(({ path }) => (path === '' ? [] : [path.includes(' ') ? path : ` ${path}`]));
}

function pathPattern(places: readonly Place[]): string {
  return textsOf(places).map(quoted).join('|');
}

/** A line for each option that takes a value, with the command before it. */
function valuesIn(
  places: readonly Place[],
  render: (option: { option: string; values: readonly string[] }) => string,
): string {
  return places
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values }) =>
        values === undefined ? [] : [render({ option: `${path} ${word}`, values })],
      ),
    )
    .join('\n');
}

/** A word for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
