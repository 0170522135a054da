/** Links to Temporal Web, where an operator sees the workflow behind a thing. */
import { session } from '../api/client.ts';
import { html } from './html.ts';

/** @param id such as `crawl/3` or `host/https://example.com` */
export function workflowLink(id: string) {
  const web = session.value?.temporalWeb ?? null;
  return (
    web !== null &&
    html`<a href=${web + encodeURIComponent(id)} target="_blank" rel="noopener noreferrer"
      >Its workflow in Temporal Web</a
    >`
  );
}
