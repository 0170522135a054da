/** Settings that were given on the command line, in the form that the API takes. */
import { readFile } from 'node:fs/promises';
import { settings } from '../../contracts/crawl.ts';
import type { SettingForm } from '../../contracts/crawl-settings/setting.ts';
import { weights } from '../arguments.ts';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';
import { givenSettings, optionName } from './crawl-settings.ts';
import { readJsonOption, readKeepFresh } from './json-option.ts';
import { readRules } from './yaml-file.ts';

/**
 * The settings that were given, by field. @param isEdit numbers, yes and no are still text, and `none` takes a setting back
 * @throws CommandError
 */
export async function readSettings(options: object, isEdit = false): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const [field, value] of givenSettings(options)) {
    const { form, fallback } = settings[field];
    const plain = isEdit ? plainValue(value) : value;
    read[field] =
      isEdit && [value].flat().join() === 'none'
        ? fallback
        : form === undefined
          ? plain
          : await forms[form](value, optionName(field));
  }
  return read;
}

/** A text that is no number is refused by the schema. */
function plainValue(value: unknown): unknown {
  if (value === 'yes' || value === 'no') return value === 'yes';
  return typeof value === 'string' && /^(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : value;
}

/** Of values as commander gives them: a text, or a list of texts. */
const forms: Readonly<Record<SettingForm, (given: unknown, option: string) => unknown>> = {
  json: (given, option) => readJsonOption(option.slice(2), String(given)),
  'json-or-count': readKeepFresh,
  rules: (given) => readRules(String(given)),
  focus: (given) => readFocus(given as readonly string[]),
  headers: (given) => readHeaders(given as readonly string[]),
  weights: readWeights,
  // A day stands for its first moment in UTC; the API refuses what is no instant.
  day: (given) => String(given).replace(/^\d{4}-\d\d-\d\d$/, '$&T00:00:00Z'),
  blocks: (given) =>
    (given as readonly string[]).flatMap((list) => list.split(',').map((block) => block.trim())),
};

/** Words, or @FILE for a page that is an example. */
async function readFocus(
  given: readonly string[],
): Promise<{ readonly words: readonly string[]; readonly examples: readonly string[] }> {
  const files = given.filter((text) => text.startsWith('@')).map((text) => text.slice(1));
  const words = given.filter((text) => !text.startsWith('@')).flatMap((text) => text.split(','));
  const examples: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new CommandError(`The example ${file} cannot be read: ${reasonOf(error)}.`);
    });
    examples.push(text);
  }
  return { words: words.map((word) => word.trim()), examples };
}

/** Each given as `Name: value`. An error never holds a part of a value. */
function readHeaders(given: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const header of given) {
    const [, name, value] = /^([^\s:]+):[ \t]*(.*)$/s.exec(header) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandError('--header cannot be used: write it as "Name: value".');
    if (headers.has(name)) throw new CommandError(`--header cannot be used: ${name} is given twice.`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

/** A new crawl has read them already. */
function readWeights(given: unknown, option: string): unknown {
  try {
    return typeof given === 'string' ? weights(given) : given;
  } catch (error) {
    throw new CommandError(`${option} cannot be used: ${reasonOf(error)}`);
  }
}
