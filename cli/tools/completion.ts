/**
 * Scripts that complete verbs, options and their values in a shell. They are made from the program itself: each script
 * has a table of the words that may follow, by the verbs before.
 */
import type { Command, Option } from 'commander';
import { does } from '../verb.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const verbs = [
  does({
    words: 'completion',
    here: true,
    takes: { '<shell>': { about: 'which shell', choices: shells } },
    notes: `Examples:
  source <(orbweaver completion bash)                 in ~/.bashrc
  source <(orbweaver completion zsh)                  in ~/.zshrc, behind compinit
  orbweaver completion fish > ~/.config/fish/completions/orbweaver.fish`,
    run: async ({ shell }, whole) => {
      process.stdout.write(completionScript(await whole(), shell));
    },
  }),
];

interface Place {
  /** Verbs from the program down, such as `crawls start`; '': none yet. */
  readonly path: string;
  readonly verbs: readonly Entry[];
  readonly options: readonly (Entry & { readonly takes: Takes })[];
  /** Values of the first argument. */
  readonly values: readonly string[];
}

interface Entry {
  readonly name: string;
  readonly about: string;
}

/** The values that may follow an option. 'file': a file; 'any': some value, which nobody can list; null: no value. */
type Takes = readonly string[] | 'file' | 'any' | null;

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '');
  return { bash, zsh, fish }[shell](places);
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const verbs = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const place: Place = {
    path,
    verbs: verbs.map((each) => ({ name: each.name(), about: each.description() })),
    options: help
      .visibleOptions(command)
      .flatMap((option) =>
        option.long === undefined
          ? []
          : [{ name: option.long, about: option.description, takes: takesOf(option) }],
      ),
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [place, ...verbs.flatMap((each) => placesOf(each, `${path} ${each.name()}`.trim()))];
}

function takesOf({ argChoices, flags, required, optional }: Option): Takes {
  if (argChoices !== undefined) return argChoices;
  if (!required && !optional) return null;
  return /<(file|json)>/.test(flags) ? 'file' : 'any';
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const firstWords = (about: string): string => about.split(/[;:.(]/)[0]?.trim() ?? '';
const named = (entries: readonly Entry[]): string[] => entries.map(({ name }) => name);
const paths = (places: readonly Place[]): string[] =>
  places.flatMap(({ path }) => (path === '' ? [] : [path]));

const head = (shell: Shell): string =>
  `# Completion of orbweaver for ${shell}: made by orbweaver completion ${shell}.\n`;

/** How a shell completes the value of an option. */
interface Replies {
  readonly file: string;
  readonly any: string;
  readonly oneOf: (words: readonly string[]) => string;
}

const replyOf = (takes: NonNullable<Takes>, { file, any, oneOf }: Replies): string =>
  takes === 'file' ? file : takes === 'any' ? any : oneOf(takes);

/** Branches of a `case` over the verbs and the word before. @param open what a pattern begins with */
const valueCases = (places: readonly Place[], open: string, replies: Replies): string[] =>
  places.flatMap(({ path, options }) =>
    options.flatMap(({ name, takes }) =>
      takes === null ? [] : [`  ${open}${quoted(`${path}|${name}`)}) ${replyOf(takes, replies)}; return ;;`],
    ),
  );

function bash(places: readonly Place[]): string {
  const valued = valueCases(places, '', {
    file: 'COMPREPLY=($(compgen -f -- "$cur"))',
    any: ':',
    oneOf: (words) => `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$cur"))`,
  });
  const words = places.map(
    ({ path, verbs, options, values }) =>
      `    ${quoted(path)}) words=${quoted([...named(verbs), ...values, ...named(options)].join(' '))} ;;`,
  );
  return `${head('bash')}_orbweaver() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path= words= word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
    ${paths(places).map(quoted).join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path|$previous" in
${valued.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _orbweaver orbweaver ./orbweaver
`;
}

function zsh(places: readonly Place[]): string {
  const described = (entries: readonly Entry[]): string[] =>
    entries.map(({ name, about }) => quoted(`${name}:${firstWords(about)}`));
  const valued = valueCases(places, '(', {
    file: '_files',
    any: "_message 'a value'",
    oneOf: (words) => `compadd -- ${words.map(quoted).join(' ')}`,
  });
  const items = places.map(({ path, verbs, options, values }) => {
    const all = [...described(verbs), ...values.map(quoted), ...described(options)];
    return `  (${quoted(path)}) items=(${all.join(' ')}) ;;`;
  });
  return `#compdef orbweaver
${head('zsh')}_orbweaver() {
  local where= word
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${where:+$where }$word" in
    (${paths(places).map(quoted).join('|')}) where="\${where:+$where }$word" ;;
    esac
  done
  case "$where|\${words[CURRENT-1]}" in
${valued.join('\n')}
  esac
  case "$where" in
${items.join('\n')}
  esac
  _describe 'orbweaver' items || _files
}
compdef _orbweaver orbweaver ./orbweaver
`;
}

function fish(places: readonly Place[]): string {
  const given: Replies = { file: ' -rF', any: ' -x', oneOf: (words) => ` -xa ${quoted(words.join(' '))}` };
  const lines = places.flatMap(({ path, verbs, options, values }) => {
    const at = `complete -c orbweaver -n ${quoted(`test (__orbweaver_verbs) = "${path}"`)}`;
    return [
      ...verbs.map(({ name, about }) => `${at} -fa ${quoted(name)} -d ${quoted(firstWords(about))}`),
      ...values.map((value) => `${at} -fa ${quoted(value)}`),
      ...options.map(({ name, about, takes }) => {
        const value = takes === null ? '' : replyOf(takes, given);
        return `${at} -l ${quoted(name.replace(/^--/, ''))}${value} -d ${quoted(firstWords(about))}`;
      }),
    ];
  });
  return `${head('fish')}function __orbweaver_verbs
  set -l verbs
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $verbs $word) ${paths(places).map(quoted).join(' ')}
      set -a verbs $word
    end
  end
  echo "$verbs"
end
${lines.join('\n')}
`;
}
