/** A form that asks what became of a URL. */
import { base, go } from '../router.ts';
import { urlScreen } from './crawl-url.ts';
import { fieldsOf } from './forms.ts';
import { html } from './html.ts';

/** The API reads no longer ones (contracts/http/shared.ts). */
const mostCharacters = 4_096;

export function AskUrl({ crawl, url = '' }: { readonly crawl: string; readonly url?: string }) {
  const submit = (event: Event): void => {
    const asked = fieldsOf(event)('url');
    if (asked !== null) go(urlScreen(crawl, 'explain', asked).slice(base.length));
  };
  return html`<form onSubmit=${submit}>
    <div class="row">
      <label class="wide"
        >URL, in any spelling
        <input
          name="url"
          required
          maxlength=${mostCharacters}
          placeholder="https://example.com/page"
          defaultValue=${url}
      /></label>
      <button class="main">Explain</button>
    </div>
  </form>`;
}
