import { html } from '../parts/html.ts';
import { crawlPath, useCrawl } from '../parts/crawl-frame.ts';
import { number } from '../parts/shown.ts';
import { loaded } from '../parts/states.ts';
import { workflowLink } from '../parts/workflow.ts';
import { CrawlEdits } from './crawl-edits.ts';
import { CrawlSeeds } from './crawl-seeds.ts';
import { CrawlSessions } from './crawl-sessions.ts';

export function CrawlSettingsScreen({ crawl: id }: { readonly crawl: string }) {
  const crawl = useCrawl();
  const path = crawlPath(id);
  return loaded(
    crawl,
    (view) =>
      html`<p>${workflowLink(`crawl/${id}`)}</p>
        <${CrawlEdits} path=${path} crawl=${view} again=${crawl.again} />
        <section aria-labelledby="seeds">
          <h2 id="seeds">Seeds</h2>
          <p>
            ${number(view.seeds.accepted)} accepted, ${number(view.seeds.rejected)} rejected,
            ${' '}${number(view.seeds.waiting)} waiting.
          </p>
          <${CrawlSeeds} path=${path} done=${crawl.again} />
        </section>
        <section aria-labelledby="sessions">
          <h2 id="sessions">Sessions</h2>
          <${CrawlSessions} path=${path} />
        </section>`,
  );
}
