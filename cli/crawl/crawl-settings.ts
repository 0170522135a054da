/**
 * Settings of a crawl as options of the command line, from the list in contracts/crawl.ts. `crawl` and `crawls start` have
 * all of them, `edit` those that may change while a crawl runs.
 */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import {
  liveSettings,
  settingFamilies,
  settingNames,
  settings,
  type Settings,
} from '../../contracts/crawl.ts';
import { decimal, weights, wholeNumber, yesOrNo } from '../arguments.ts';

/** Headings of the help of verbs that start a crawl, in their order. */
export const helpGroups = {
  what: 'What is crawled:',
  limits: 'Limits, and when the crawl ends:',
  pace: 'Pace and politeness:',
  order: 'What comes first:',
  content: 'Content:',
  instance: 'Instance:',
  output: 'Output:',
} as const;
export type Field = keyof Settings;

/** Settings whose option may be repeated, each time for one entry. */
const isList = (field: Field): boolean =>
  settings[field].schema instanceof z.ZodArray || ['focus', 'headers'].includes(settings[field].form ?? '');

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

function optionFor(field: Field): Option {
  const { flags, help, schema } = settings[field];
  const option = new Option(flags, help);
  if (schema instanceof z.ZodEnum) option.choices(schema.options);
  if (isList(field)) option.argParser(collect);
  return option;
}

/** How a new crawl reads numbers, weights, yes and no. `edit` leaves this to the API, since `none` takes a setting back there. */
function readerOf(field: Field): ((text: string) => unknown) | null {
  const { flags, schema, unit, form } = settings[field];
  if (form === 'weights') return weights;
  const bare: z.ZodType = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (bare instanceof z.ZodBoolean) return flags.endsWith('<yes|no>') ? yesOrNo : null;
  if (!(bare instanceof z.ZodNumber)) return null;
  const least = bare.minValue ?? 0;
  return bare.format === 'safeint' ? wholeNumber(least) : decimal(least, bare.safeParse(least).success, unit);
}

const typed = new Map(settingNames.map((field) => [field as string, optionFor(field)]));

/** The name as it is typed, `--max-pages`; a name that is no setting stays as it is. */
export const optionName = (field: string): string => typed.get(field)?.long ?? field;

/** Settings that can change while a crawl runs, as they are typed. */
export const editOptionNames = (): string[] => liveSettings.map(optionName);

/** All settings, for a new crawl, by group; the help says what holds without each. */
export function addSettings(command: Command): Command {
  for (const [group, heading] of Object.entries(helpGroups)) {
    for (const field of settingNames.filter((name) => name in (settingFamilies[group] ?? {}))) {
      const option = optionFor(field).helpGroup(heading);
      const read = readerOf(field);
      if (read !== null) option.argParser(read);
      option.description += ` (default: ${defaultWords(field)})`;
      command.addOption(option);
    }
  }
  return command;
}

/** The settings that may change while a crawl runs. */
export function addEditSettings(command: Command): Command {
  for (const field of liveSettings) command.addOption(optionFor(field));
  return command;
}

/** The settings that were given, as commander has them. */
export function givenSettings(options: object): [Field, unknown][] {
  const values = new Map<string, unknown>(Object.entries(options));
  return settingNames.flatMap((field) => {
    const option = typed.get(field);
    const value = values.get(option?.attributeName() ?? field);
    // For an option `--no-…` that was not given, commander says true.
    return value === undefined || (option?.negate === true && value === true) ? [] : [[field, value]];
  });
}

function defaultWords(field: Field): string {
  const { without = '', fallback } = settings[field];
  if (typeof fallback === 'number') return fallback.toLocaleString('en-US');
  if (typeof fallback === 'boolean') return without || (fallback ? 'yes' : 'no');
  return typeof fallback === 'string' ? fallback : without;
}
