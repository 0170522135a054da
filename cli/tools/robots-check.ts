/** `robots check`: what a robots.txt says to one agent about URLs. */
import { readFile } from 'node:fs/promises';
import { parseRobots, productToken } from '../../domain/robots.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { argumentsOrInput, writeJsonLines } from '../output/lines.ts';
import { reasonOf } from '../output/words.ts';

export async function robotsCheck(
  urls: readonly string[],
  options: { readonly agent: string; readonly robots: string },
): Promise<ExitCode> {
  const rules = parseRobots(await readRobots(options.robots)).forAgent(productToken(options.agent));
  await writeJsonLines(
    (async function* () {
      for await (const url of argumentsOrInput(urls)) {
        const { allowed, rule, line } = rules.check(requested(url));
        yield { url, allowed, rule, line };
      }
    })(),
  );
  return exitCodes.ok;
}

async function readRobots(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandError(`The robots.txt ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Path and query as they would be requested. For a text that is no URL: the part that stands in their place. */
function requested(url: string): string {
  const read = canonicalize(url);
  if (read.ok) return pathAndQuery(read.value);
  const authority = url.indexOf('//');
  const rest = /[/?].*/s.exec(url.slice(authority < 0 ? 0 : authority + 2))?.[0] ?? '/';
  const path = rest.split('#')[0] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}
