/** `robots check` and `url normalize`: what a robots.txt says to one agent about URLs, and which spellings are one page. */
import { readFile } from 'node:fs/promises';
import { urlKey } from '../../contracts/url-key.ts';
import { parseRobots, productToken } from '../../domain/robots.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import { CommandError } from '../ending.ts';
import { argumentsOrInput, writeJsonLines } from '../output/lines.ts';
import { reasonOf } from '../output/words.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'robots check',
    summary: 'Check URLs against a robots.txt file. URLs are read from standard input if none is given.',
    here: true,
    takes: {
      '--agent <name>': { about: 'product token or full user agent of the crawler', needed: true },
      '--robots <file>': { about: 'the robots.txt file', needed: true },
      '[url...]': '',
    },
    examples: ['--agent orbweaver --robots robots.txt https://example.com/private'],
    run: async ({ agent, robots, url: urls }) => {
      const rules = parseRobots(await readRobots(robots)).forAgent(productToken(agent));
      await writeJsonLines(
        (async function* () {
          for await (const url of argumentsOrInput(urls)) {
            const { allowed, rule, line } = rules.check(requested(url));
            yield { url, allowed, rule, line };
          }
        })(),
      );
    },
  }),
  does({
    words: 'url normalize',
    summary: 'Print the canonical form of URLs. URLs are read from standard input if none is given.',
    here: true,
    takes: { '[url...]': '' },
    examples: ['"HTTP://Example.com:80/a/../b?utm_source=x#y"'],
    run: ({ url: urls }) => writeJsonLines(normalized(argumentsOrInput(urls))),
  }),
];

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

async function* normalized(urls: AsyncIterable<string>): AsyncGenerator<object> {
  for await (const url of urls) {
    const read = canonicalize(url);
    if (read.ok) {
      const { canonical, host } = read.value;
      yield { url, canonical, host, key: urlKey(canonical).toString('hex'), rejected: null };
    } else {
      yield { url, canonical: null, host: null, key: null, rejected: read.rejected };
    }
  }
}
