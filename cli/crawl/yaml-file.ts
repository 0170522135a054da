/** Files of options as YAML, of which JSON is a part: what is wrong is told with its line. */
import { readFile, stat } from 'node:fs/promises';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { crawlParts } from '../../contracts/http/crawls.ts';
import { pageRules } from '../../contracts/http/page-rules.ts';
import { maxRequestBytes } from '../../contracts/http/shared.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { CommandError } from '../ending.ts';
import { reasonOf } from '../output/words.ts';

interface FileWords {
  /** Such as `settings file`. */
  readonly file: string;
  /** What it holds, with an example. */
  readonly holds: string;
  /** One of its keys, and all of them. */
  readonly one: string;
  readonly all: string;
}

/** The file of `--config`: seeds and settings of a crawl, by their names in the API. */
export const readCrawlFile = (file: string): Promise<Record<string, unknown>> =>
  readYamlFile(file, crawlParts.partial(), {
    file: 'settings file',
    holds: 'settings, such as maxPages: 500',
    one: 'setting',
    all: 'settings',
  });

/** The file of `--rules`: how the pages of a crawl are read, as in the API. */
export const readRules = (file: string): Promise<Record<string, unknown>> =>
  readYamlFile(file, pageRules, {
    file: 'rules file',
    holds: 'rules, such as fields: {price: {select: .price, type: number}}',
    one: 'part',
    all: 'parts',
  });

/** The content of the file, unchanged, so that every part of it is checked. @throws CommandError that names the line */
async function readYamlFile(
  file: string,
  shape: z.ZodObject,
  words: FileWords,
): Promise<Record<string, unknown>> {
  const lines = new LineCounter();
  const document = parseDocument(await textOf(file, words.file), { lineCounter: lines });
  const refuse = (at: number | undefined, problem: string): never => {
    const line = at === undefined ? '' : `, line ${String(lines.linePos(at).line)}`;
    throw new CommandError(`${file}${line}: ${problem.replace(/\.$/, '')}.`);
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    // After its first line the message shows the place, and the line number says as much.
    const [message = ''] = broken.message.split(/ at line | *\n/);
    refuse(broken.pos[0], `it is not valid YAML: ${message}`);
  }
  if (document.contents === null) return {};
  if (!isMap(document.contents)) refuse(0, `it must hold ${words.holds}`);
  const held = document.toJS() as Record<string, unknown>;
  const { error } = shape.safeParse(held, { error: inWords });
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return held;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (unknown !== undefined && issue.path.length === 0) {
    const names = Object.keys(shape.shape).join(', ');
    return refuse(
      keyAt(document, unknown),
      `there is no ${words.one} ${unknown}; the ${words.all} are ${names}`,
    );
  }
  const [field, ...within] = issue.path.map(String);
  const place = within.length === 0 ? '' : ` (${within.join('.')})`;
  return refuse(valueAt(document, issue.path), `${field ?? 'it'}${place} cannot be used: ${issue.message}`);
}

async function textOf(file: string, called: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxRequestBytes) throw new Error(`it is larger than ${String(maxRequestBytes)} bytes`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The ${called} ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

function keyAt({ contents }: Document, name: string): number | undefined {
  if (!isMap(contents)) return undefined;
  const key = contents.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === name)?.key;
  return isNode(key) ? key.range?.[0] : undefined;
}

/** The line of the value, or of the innermost part that exists if the value does not. */
function valueAt(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0];
  }
  return undefined;
}
