/** The file of `--config`: seeds and settings of a crawl, by their names in the API, as YAML (of which JSON is a part). */
import { readFile, stat } from 'node:fs/promises';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { crawlParts } from '../contracts/http/crawls.ts';
import { maxRequestBytes } from '../contracts/http/shared.ts';
import { inWords } from '../contracts/http/wording.ts';
import { CommandError } from './ending.ts';
import { reasonOf } from './words.ts';

const crawlFile = crawlParts.partial();

/** The content of the file, unchanged, so that every part of it is checked. @throws CommandError that names the line */
export async function readCrawlFile(file: string): Promise<Record<string, unknown>> {
  const lines = new LineCounter();
  const document = parseDocument(await textOf(file), { lineCounter: lines });
  const refuse = (at: number | undefined, words: string): never => {
    const line = at === undefined ? '' : `, line ${String(lines.linePos(at).line)}`;
    throw new CommandError(`${file}${line}: ${words.replace(/\.$/, '')}.`);
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    // After its first line the message shows the place, and the line number says as much.
    const [message = ''] = broken.message.split(/ at line | *\n/);
    refuse(broken.pos[0], `it is not valid YAML: ${message}`);
  }
  if (document.contents === null) return {};
  if (!isMap(document.contents)) refuse(0, 'it must hold settings, such as maxPages: 500');
  const held = document.toJS() as Record<string, unknown>;
  const { error } = crawlFile.safeParse(held, { error: inWords });
  if (error === undefined) return held;
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (issue === undefined || unknown !== undefined) {
    const names = Object.keys(crawlFile.shape).join(', ');
    return refuse(
      keyAt(document, unknown ?? ''),
      `there is no setting ${unknown ?? ''}; the settings are ${names}`,
    );
  }
  const [field, ...within] = issue.path.map(String);
  const place = within.length === 0 ? '' : ` (${within.join('.')})`;
  return refuse(valueAt(document, issue.path), `${field ?? 'it'}${place} cannot be used: ${issue.message}`);
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxRequestBytes) throw new Error(`it is larger than ${String(maxRequestBytes)} bytes`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The settings file ${file} cannot be read: ${reasonOf(error)}.`);
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
