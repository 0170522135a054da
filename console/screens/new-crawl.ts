import { useState } from 'preact/hooks';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { SeedView } from '../../contracts/http/seeds.ts';
import type { FetchedPage, WaitingFetch } from '../../contracts/http/fetch.ts';
import { ask, post } from '../api/client.ts';
import { useAnswer, useList, type Loading } from '../api/loading.ts';
import { useFields, type Field } from '../api/schemas.ts';
import { useAct } from '../parts/action.ts';
import { SettingFields } from '../parts/crawl-fields.ts';
import { download } from '../parts/download.ts';
import { bodyOf, problemsOf, remaining, textOf, type Texts } from '../parts/fields.ts';
import { html } from '../parts/html.ts';
import { number } from '../parts/shown.ts';
import { loaded } from '../parts/states.ts';
import { TryRules, type Trial } from '../parts/try-rules.ts';
import { yamlOf } from '../parts/yaml.ts';
import { base, go, query } from '../router.ts';

const first = ['seeds', 'label', 'maxPages', 'maxDepth', 'scope', 'delaySeconds', 'render'];

export function NewCrawl() {
  const from = query.value.get('from');
  const fields = useFields('NewCrawl');
  return html`<h1 tabindex="-1">New crawl</h1>
    ${loaded(fields, (all) => {
      // Sessions are secrets: they are given to a crawl on its own page.
      const list = all.filter(({ name }) => name !== 'sessions');
      return from === null || !/^\d{1,15}$/.test(from)
        ? html`<${NewCrawlForm} fields=${list} texts=${{}} key="new" />`
        : html`<${Clone} fields=${list} from=${from} key=${from} />`;
    })}`;
}

const seedsCloned = 1_000;

/** The settings of another crawl, and its seeds. */
function Clone({ fields, from }: { readonly fields: readonly Field[]; readonly from: string }) {
  const crawl = useAnswer<CrawlView>(`/v1/crawls/${from}`);
  const seeds = useList<SeedView>(`/v1/crawls/${from}/seeds?state=good&limit=${String(seedsCloned)}`);
  const both: Loading<readonly [CrawlView, readonly SeedView[]]> = {
    value: crawl.value && seeds.value && !seeds.isReading ? [crawl.value, seeds.value] : undefined,
    refusal: crawl.refusal ?? seeds.refusal,
    again: () => {
      crawl.again();
      seeds.again();
    },
  };
  return loaded(both, ([{ config, label }, good]) => {
    const settings: Record<string, unknown> = { ...config };
    const hadHeaders = Object.keys(config.headers).join(', ');
    delete settings['headers'];
    const texts = Object.fromEntries(
      fields
        .filter(({ name, standard }) => JSON.stringify(settings[name]) !== JSON.stringify(standard))
        .map((field) => [field.name, textOf(field, settings[field.name])]),
    );
    return html`<p class="notice">
        Settings of <a href=${`${base}/crawls/${from}`}>crawl ${from}</a>.
        ${seeds.more !== null && ` Only its first ${number(seedsCloned)} seeds are here.`}
        ${hadHeaders !== '' && ` The values of its headers (${hadHeaders}) are hidden: give them again.`}
        ${' '}Its sessions are not copied.
      </p>
      <${NewCrawlForm}
        fields=${fields}
        texts=${{ ...texts, seeds: good.map(({ url }) => url).join('\n'), label: label ?? '' }}
      />`;
  });
}

interface FormProps {
  readonly fields: readonly Field[];
  /** What stands in the fields at first. */
  readonly texts: Texts;
}

function NewCrawlForm({ fields, texts: begun }: FormProps) {
  const [texts, setTexts] = useState(begun);
  const given = bodyOf(fields, texts);
  const { busy, refusal, act } = useAct(async () => {
    const crawl = await post<CreatedCrawl>('/v1/crawls', given.body);
    go(`/crawls/${crawl.id}`);
    return undefined;
  });
  const problems = { ...problemsOf(refusal, fields), ...given.problems };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void act();
  };
  const { rules = null, seeds } = given.body;
  const trial = async (url: string): Promise<Trial | string> =>
    given.problems['rules'] === undefined
      ? tryRules(url, rules)
      : `The rules are ${given.problems['rules']}.`;
  return html`<form onSubmit=${submit} novalidate>
      <${SettingFields}
        fields=${fields}
        first=${first}
        texts=${texts}
        problems=${problems}
        change=${(name: string, text: string) => {
          setTexts((was) => ({ ...was, [name]: text }));
        }}
      />
      <p class="buttons">
        <button class="main" disabled=${busy || Object.keys(given.problems).length > 0} aria-busy=${busy}>
          Start the crawl
        </button>
        <button
          type="button"
          title="The file that ./orbweaver crawl --config takes"
          onClick=${() => {
            download('crawl.yaml', 'application/yaml', yamlOf(given.body));
          }}
        >
          Save as YAML
        </button>
      </p>
      ${remaining(refusal, problems)} ${refusal !== null && rejectedSeeds(refusal.problem.rejected ?? [])}
    </form>
    <${TryRules}
      hint="One page is fetched, as politely as a crawl would, unless the archive has it from the last hour."
      url=${Array.isArray(seeds) ? String(seeds[0] ?? '') : ''}
      run=${trial}
    />`;
}

/** A fetch waits for its host as long as any crawl does; nobody looks at a form for longer than this. */
const rounds = 4;

async function tryRules(url: string, rules: unknown): Promise<Trial | string> {
  let page = await post<FetchedPage | WaitingFetch>('/v1/fetch', { url, rules, format: 'json' });
  for (let round = 1; 'waiting' in page; round++) {
    if (round === rounds) return `The page is not there yet. ${page.waiting.because}`;
    page = await ask<FetchedPage | WaitingFetch>(`/v1/fetch/${page.id}?waitSeconds=30`);
  }
  const { fields = null, unread = [], content, links = [] } = page;
  return { fields, unread, text: content, links };
}

const rejectedSeeds = (
  rejected: readonly { readonly line: number; readonly url: string; readonly reason: string }[],
) =>
  rejected.length > 0 &&
  html`<ul>
    ${rejected.map(({ line, url, reason }) => html`<li>Line ${line}: <code>${url}</code> ${reason}</li>`)}
  </ul>`;
