/** `url normalize`: two spellings with the same output are the same page. */
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { argumentsOrInput, writeJsonLines } from '../output/lines.ts';
import { does } from '../verb.ts';

export const verbs = [
  does({
    words: 'url normalize',
    summary: 'Print the canonical form of URLs. URLs are read from standard input if none is given.',
    here: true,
    takes: { '[url...]': '' },
    examples: ['"HTTP://Example.com:80/a/../b?utm_source=x#y"'],
    run: ({ url: urls }) => writeJsonLines(normalized(argumentsOrInput(urls))),
  }),
];

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
