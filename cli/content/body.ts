/** `body`: what a URL was answered with, as it was stored. */
import { rejectionSentence } from '../../domain/seeds.ts';
import { grouped } from '../../domain/counted.ts';
import { canonicalize } from '../../domain/url.ts';
import { withApi, type ApiOptions } from '../api/target.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { toStandardOutput } from './export.ts';
import { openOutFile } from '../output/out-file.ts';
import { sayPlainly } from '../output/say.ts';

export interface BodyOptions extends ApiOptions {
  readonly head?: boolean;
  readonly markdown?: boolean;
  readonly main?: boolean;
  readonly out?: string;
}

const types = {
  body: 'application/octet-stream',
  head: 'text/plain',
  markdown: 'text/markdown',
  'main-markdown': 'text/markdown',
};

export async function body(id: string, url: string, options: BodyOptions): Promise<ExitCode> {
  const { head = false, markdown = false, main = false, out } = options;
  if (head && markdown) throw new CommandError('--head and --markdown cannot be given together.');
  const read = canonicalize(url.trim());
  if (!read.ok)
    throw new CommandError(
      `No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(read.rejected)}.`,
    );
  const part = head ? 'head' : main ? 'main-markdown' : markdown ? 'markdown' : 'body';
  if (main && !markdown) throw new CommandError('--main is for --markdown.');
  const file = out === undefined ? null : await openOutFile(out);
  try {
    await withApi(options, async (api) => {
      const query = { url, part };
      const { chunks } = await api.take(`/v1/crawls/${id}/body`, types[part], { query });
      if (file === null) await toStandardOutput(chunks);
      else sayPlainly(`${grouped(await file.copy(chunks))} bytes were written to ${file.name}.`);
    });
  } finally {
    await file?.discard();
  }
  return exitCodes.ok;
}
