/** `quarantine`: shapes of URLs that look like traps, and what becomes of them. */
import {
  quarantineJudged,
  quarantineList,
  quarantinePreview,
  quarantineView,
  type QuarantinePreview,
} from '../../contracts/http/quarantine.ts';
import { counted, grouped } from '../../domain/counted.ts';
import { trapRules } from '../../domain/traps/rules.ts';
import { ofCrawl } from '../arguments.ts';
import { moment, table } from '../output/table.ts';
import { asks, type Verb } from '../verb.ts';

const ofHost = { '--host <origin>': 'only shapes of this host' } as const;

const acts = {
  release:
    'Release shapes: no rule holds them any more. Their URLs are queued again; pages held as soft 404 are pages of the crawl again.',
  confirm: 'Confirm that shapes are traps: none of their URLs is let through any more.',
} as const;

const judging = (act: keyof typeof acts): Verb =>
  asks({
    words: `quarantine ${act}`,
    summary: acts[act],
    takes: {
      ...ofCrawl,
      '[id...]': 'ids of the shapes, as quarantine list shows them (default: all that are held)',
      ...ofHost,
      '--rule <rule>': { about: 'only shapes that this rule has found', choices: trapRules },
      '--json': 'as JSON',
    },
    examples: ['3 17', '3 --rule nothing-new'],
    route: `POST /v1/crawls/{crawl}/quarantine/${act}`,
    body: ({ id: ids, host, rule }) => ({ ...(ids.length > 0 && { ids }), host, rule }),
    answer: quarantineJudged,
    print: ({ shapes, urls, left }) => {
      if (act === 'confirm') return [`${counted(shapes, 'shape is', 'shapes are')} confirmed.`];
      const freed = `${counted(urls, 'URL is', 'URLs are')} let go${left > 0 ? `, and ${grouped(left)} more follow` : ''}: they are queued again, or, if they were read and held as soft 404, pages of the crawl again`;
      return [`${counted(shapes, 'shape is', 'shapes are')} released. ${freed}.`];
    },
  });

export const verbs = [
  asks({
    words: 'quarantine list',
    summary: 'List the shapes in quarantine, with the evidence.',
    takes: {
      ...ofCrawl,
      '--verdict <list>': 'verdicts, comma-separated, such as suspected,held (default: held,confirmed)',
      ...ofHost,
      '--json': 'as JSON, one object a line',
    },
    examples: ['3'],
    route: 'GET /v1/crawls/{crawl}/quarantine',
    query: ({ verdict, host }) => ({ verdict, host }),
    answer: quarantineList.shape.items.element,
    print: {
      heads: ['id', 'since', 'verdict', 'urls', 'host', 'shape', 'why'],
      row: ({ id, since, verdict, urls, host, shape, why }) => [
        id,
        moment(since),
        verdict,
        grouped(urls),
        host,
        shape,
        why,
      ],
      none: 'No shape of URLs is in quarantine.',
    },
  }),
  judging('release'),
  judging('confirm'),
  asks({
    words: 'quarantine preview',
    summary: 'Show the shapes of a URL, and what each would keep back. Nothing is changed.',
    takes: { ...ofCrawl, '<url>': 'a URL that looks like part of a trap', '--json': 'as JSON' },
    examples: ['3 https://example.com/calendar/2031/7'],
    route: 'POST /v1/crawls/{crawl}/quarantine/preview',
    makes: true,
    body: ({ url }) => ({ url }),
    answer: quarantinePreview,
    print: previewLines,
  }),
  asks({
    words: 'quarantine add',
    summary: 'Put a shape into quarantine. One that has all queued URLs of its host is refused.',
    takes: {
      ...ofCrawl,
      '<host>': 'origin of the host, such as https://example.com',
      '<shape>': 'the shape, as quarantine preview shows it',
      '--json': 'as JSON',
    },
    examples: ["3 https://example.com '/calendar/{n}/{n}'"],
    route: 'POST /v1/crawls/{crawl}/quarantine',
    makes: true,
    body: ({ host, shape }) => ({ host, shape }),
    answer: quarantineView,
    print: ({ id }, { host, shape }) => [`The shape ${shape} of ${host} is in quarantine, as ${id}.`],
  }),
];

function previewLines({ host, shapes, queued, complete }: QuarantinePreview): string[] {
  return [
    `${counted(queued, 'URL is', 'URLs are')} queued at ${host}. Each shape would keep back this many. Nothing was changed.`,
    ...(complete
      ? []
      : ['There were too many URLs to look at in time: the true numbers are at least these.']),
    '',
    ...table([
      ['shape', 'queued', 'in all', ''],
      ...shapes.map((row) => [
        row.shape,
        grouped(row.queued),
        grouped(row.urls),
        row.everything ? 'all that is queued: refused' : '',
      ]),
    ]),
  ];
}
