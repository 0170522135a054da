/** The command line, made from the verbs (verb.ts, verbs.ts) by commander. A verb's code is loaded only when it is called. */
import { Argument, Command, Option } from 'commander';
import { version } from '../config/package.ts';
import { families, type Family } from './verbs.ts';
import type { GivenAny, Take, Takes, Verb } from './verb.ts';

/** Gets the exit code of the verb that ran: ours, or that of the program it ran. */
type Ended = (exitCode: number) => void;

/** @param words of the command line: only the family that they name is loaded, with its verbs; absent: all are */
export async function createProgram(ended: Ended, words?: readonly string[]): Promise<Command> {
  const program = new Command('orbweaver')
    .description('A durable, polite web crawler orchestrated by Temporal.')
    .version(version)
    // Options after a verb belong to the verb: `temporal --version`.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `
Examples:
  orbweaver crawl https://example.com/               crawl a site with a stack of its own
  orbweaver crawl --seeds seeds.txt --max-pages 500 --out pages.jsonl
  orbweaver resume                                   go on with the latest interrupted crawl
  orbweaver up                                       keep the stack, its API and Temporal Web running
  orbweaver explain 1 https://example.com/private    why a URL was fetched, skipped or waits
  orbweaver crawls start https://example.com/ --server https://crawler.example --key-file key

Exit codes: 0 done, 2 wrong use, 3 refused, the crawl failed, or a check found differences,
4 gave up on hosts that must wait (resumable), 130 interrupted (resumable).
Settings are read from ORBWEAVER_… variables; docs/settings.md lists them.`,
    );
  const [first, second] = words?.filter((word) => !word.startsWith('-')) ?? [];
  const called = first === 'help' ? second : first;
  for (const [heading, below] of Object.entries(families)) {
    program.commandsGroup(heading);
    for (const [word, family] of Object.entries(below)) {
      const command = program.command(word).description(family.summary);
      if (words === undefined || word === called) await addFamily(command, word, family, ended);
    }
  }
  return program;
}

async function addFamily(command: Command, word: string, family: Family, ended: Ended): Promise<void> {
  const { verbs } = await family.load();
  const below = verbs.filter(({ words }) => words.startsWith(`${word} `));
  const itself = verbs.find(({ words }) => words === word);
  // Options behind the name of a verb below are that verb's.
  if (below.length > 0) command.enablePositionalOptions();
  if (itself !== undefined) addVerb(command, itself, ended);
  addExamples(command, word, family.examples ?? []);
  for (const verb of below)
    addVerb(command.command(verb.words.slice(word.length + 1)).description(verb.summary ?? ''), verb, ended);
}

function addVerb(command: Command, verb: Verb, ended: Ended): void {
  const { words, takes = {}, notes } = verb;
  const { examples = notes === undefined ? [''] : [] } = verb;
  for (const [flags, take] of Object.entries(takes)) {
    if (typeof take === 'function') take(command);
    else if (flags.startsWith('--')) command.addOption(optionOf(flags, asTake(take)));
    else command.addArgument(argumentOf(flags, asTake(take)));
  }
  if (!verb.here) {
    command.optionsGroup('Which API:');
    for (const [flags, about] of Object.entries(serverOptions)) command.option(flags, about);
  }
  addExamples(command, words, examples);
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  command.action(async () => {
    const whole = (): Promise<Command> => createProgram(ended);
    ended(await verb.run(givenOf(command, takes), whole));
  });
}

const asTake = (take: string | Take): Take => (typeof take === 'string' ? { about: take } : take);

function argumentOf(flags: string, { about, read, choices }: Take): Argument {
  const argument = new Argument(flags, about);
  if (choices !== undefined) argument.choices(choices.map(String));
  return read === undefined ? argument : argument.argParser(reading(read, flags.includes('...')));
}

function optionOf(flags: string, take: Take): Option {
  const { about, read, choices, usual, many = false, needed = false, group, hidden, conflicts } = take;
  const option = new Option(flags, about).makeOptionMandatory(needed).hideHelp(hidden === true);
  if (choices !== undefined) option.choices(choices.map(String));
  if (read !== undefined || many) option.argParser(reading(read ?? String, many));
  if (usual !== undefined) option.default(usual);
  if (group !== undefined) option.helpGroup(group);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option;
}

const reading =
  (read: (text: string) => unknown, many: boolean) =>
  (text: string, before: unknown): unknown =>
    many ? [...((before as readonly unknown[] | undefined) ?? []), read(text)] : read(text);

/** Flags that were not given are false. */
function givenOf(command: Command, takes: Takes): GivenAny {
  const flags = command.options.filter(({ flags: name }) => name in takes && !/[<[]/.test(name));
  const named = command.registeredArguments.map((argument, at) => {
    const typed: unknown = command.processedArgs[at];
    return [argument.name(), argument.variadic ? (typed ?? []) : typed];
  });
  return {
    ...Object.fromEntries(flags.map((flag) => [flag.attributeName(), false])),
    ...command.opts<GivenAny>(),
    ...(Object.fromEntries(named) as GivenAny),
  };
}

function addExamples(command: Command, words: string, examples: readonly string[]): void {
  if (examples.length === 0) return;
  const lines = examples.map((example) => `  orbweaver ${words} ${example}`.trimEnd());
  command.addHelpText('after', `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`);
}

/** Options by which a verb is told which API it uses. */
const serverOptions = {
  '--server <url>':
    'URL of the API to use (or ORBWEAVER_SERVER); default: the stack that runs on the data folder',
  '--key-file <file>':
    'file that holds the API key; - reads the key from standard input (the variable ORBWEAVER_API_KEY may hold the key itself)',
  '--key <key>': 'the API key itself; other users of this machine can see the key while the command runs',
};
