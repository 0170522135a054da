/** `opt-out add`, `remove` and `list`: domains that must not be crawled. */
import { optOutAdded, optOutList, optOutPreview, optOutRemoved } from '../../contracts/opt-out.ts';
import { counted } from '../../domain/counted.ts';
import { readDomain } from '../../domain/opt-out.ts';
import { withApi } from '../api/target.ts';
import { CommandError } from '../ending.ts';
import { moment, writeLines } from '../output/table.ts';
import { asks, does } from '../verb.ts';

function domain(text: string): string {
  const read = readDomain(text);
  if (!read.ok) throw new CommandError(`${JSON.stringify(text)} ${read.problem}.`);
  return read.domain;
}

export const verbs = [
  does({
    words: 'opt-out add',
    summary:
      'Opt a domain and its subdomains out of every crawl. Once this command has ended, no further request is sent there.',
    takes: {
      '<domain>': { about: 'a domain or an IP address', read: domain },
      '--reason <text>': 'why; shown to people who look at the list later',
      '--public-suffix': 'allow a domain under which others have their own, such as com or github.io',
      '--dry-run': 'say how many hosts and queued URLs the opt-out would reach, and change nothing',
    },
    examples: ['example.com --reason "their mail of 3 May"'],
    run: async ({ domain: name, reason, publicSuffix, dryRun, ...given }) => {
      const line = await withApi(given, async (api) => {
        if (dryRun) {
          // An API that knows no dry run refuses it.
          const body = { domain: name, dryRun: true };
          const preview = await api.change('POST', '/v1/opt-outs', optOutPreview, { body });
          const suffix = preview.publicSuffix
            ? ` ${name} is a public suffix, under which others have their domains: it is opted out only with --public-suffix.`
            : '';
          return `An opt-out of ${name} would reach ${counted(preview.hosts, 'known host')} and exclude ${counted(preview.urls, 'queued URL')}. Nothing was changed.${suffix}`;
        }
        const body = { domain: name, reason, ...(publicSuffix && { publicSuffix }) };
        const { added, excluded } = await api.create('/v1/opt-outs', optOutAdded, body);
        return `${name} has${added ? '' : ' already'} opted out: no further request is sent to it. ${counted(excluded, 'URL was', 'URLs were')} excluded.`;
      });
      writeLines([line]);
    },
  }),
  asks({
    words: 'opt-out remove',
    summary: 'Remove an opt-out. In open crawls, the URLs that it excluded are queued again.',
    takes: { '<domain>': { about: 'the domain, as it was added', read: domain } },
    examples: ['example.com'],
    route: 'DELETE /v1/opt-outs/{domain}',
    answer: optOutRemoved,
    print: ({ queued, more }, { domain: name }) => [
      `The opt-out of ${name} is removed. ${counted(queued, 'excluded URL is', 'excluded URLs are')} queued again${more ? '; more are left: run this command again' : ''}.`,
    ],
  }),
  asks({
    words: 'opt-out list',
    summary: 'Show the domains that have opted out.',
    takes: { '--json': 'as JSON, one object a line' },
    route: 'GET /v1/opt-outs',
    answer: optOutList.shape.items.element,
    print: {
      heads: ['since', 'domain', 'reason'],
      row: ({ createdAt, domain: name, reason }) => [moment(createdAt), name, reason ?? ''],
      none: 'No domain has opted out.',
    },
  }),
];
