/** `boilerplate`: the text that a crawl leaves out of the pages of a host. */
import { boilerplateView, type BoilerplateView } from '../../contracts/http/boilerplate.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { table, writeOne } from '../output/table.ts';

export async function boilerplate(crawl: string, host: string, options: VerbOptions): Promise<ExitCode> {
  const view = await withApi(options, (api) =>
    api.get(`/v1/crawls/${crawl}/boilerplate?host=${encodeURIComponent(host)}`, boilerplateView),
  );
  writeOne(view, options.json === true, () => boilerplateLines(view));
  return exitCodes.ok;
}

function boilerplateLines({ host, pages, blocks }: BoilerplateView): string[] {
  if (pages === 0)
    return [
      `No pages of ${host} were counted. A crawl leaves repeated text out with --boilerplate leave-out.`,
    ];
  if (blocks.length === 0)
    return [`Nothing is repeated on more than a third of ${counted(pages, 'page')} of ${host}.`];
  return table([['pages', 'text'], ...blocks.map(({ text, pages: of }) => [grouped(of), text])]);
}
