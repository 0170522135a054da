/** `url normalize`: two spellings with the same output are the same page. */
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { argumentsOrInput, writeJsonLines } from '../output/lines.ts';

export async function urlNormalize(urls: readonly string[]): Promise<ExitCode> {
  await writeJsonLines(normalized(argumentsOrInput(urls)));
  return exitCodes.ok;
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
