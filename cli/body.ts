/** `body`: what a URL was answered with, as it was stored. */
import { rejectionSentence } from '../domain/seeds.ts';
import { grouped } from '../domain/counted.ts';
import { canonicalize } from '../domain/url.ts';
import { withApi, type ApiOptions } from './api-target.ts';
import { CommandError, exitCodes, type ExitCode } from './ending.ts';
import { toStandardOutput } from './export.ts';
import { openOutFile } from './out-file.ts';
import { sayPlainly } from './say.ts';

export interface BodyOptions extends ApiOptions {
  readonly head?: boolean;
  readonly out?: string;
}

export async function body(id: string, url: string, options: BodyOptions): Promise<ExitCode> {
  const { head = false, out } = options;
  const read = canonicalize(url.trim());
  if (!read.ok)
    throw new CommandError(
      `No crawl can have ${JSON.stringify(url)}: it ${rejectionSentence(read.rejected)}.`,
    );
  const type = head ? 'text/plain' : 'application/octet-stream';
  const file = out === undefined ? null : await openOutFile(out);
  try {
    await withApi(options, async (api) => {
      const query = { url, part: head ? 'head' : 'body' };
      const { chunks } = await api.take(`/v1/crawls/${id}/body`, type, { query });
      if (file === null) await toStandardOutput(chunks);
      else sayPlainly(`${grouped(await file.copy(chunks))} bytes were written to ${file.name}.`);
    });
  } finally {
    await file?.discard();
  }
  return exitCodes.ok;
}
