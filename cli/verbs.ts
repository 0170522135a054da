/**
 * The first words of all verbs by heading, in the order of `--help`. A verb of one word has its summary here; it, and
 * the verbs below a word, are values in the file that is loaded when the word is called.
 */
import type { Verb } from './verb.ts';

export interface Family {
  readonly summary: string;
  readonly load: () => Promise<{ readonly verbs: readonly Verb[] }>;
  /** Of a word that is no verb itself: what follows the word in its help. */
  readonly examples?: readonly string[];
}

export const families: Readonly<Record<string, Readonly<Record<string, Family>>>> = {
  'On this machine:': {
    crawl: {
      summary:
        'Crawl from the given URLs. The embedded stack is started if none is running, and stopped at the end.',
      load: () => import('./crawl/crawl.ts'),
    },
    resume: {
      summary: 'Go on with an interrupted crawl: the given one, or else the latest.',
      load: () => import('./crawl/resume.ts'),
    },
    up: {
      summary:
        'Keep the stack running: Postgres, Temporal with its Web, workers and API. Ctrl-C stops the stack; a second Ctrl-C stops it at once.',
      load: () => import('./tools/up.ts'),
    },
    console: {
      summary:
        'Print a link that opens the console of the running stack, or of the server, signed in. It can be used once, within ten minutes.',
      load: () => import('./tools/console.ts'),
    },
    mcp: {
      summary:
        'Serve the tools for agents (Model Context Protocol) on standard input and output, for a client that starts this itself.',
      load: () => import('./tools/mcp.ts'),
    },
    doctor: {
      summary:
        'Check programs, ports, disk, clock, DNS, certificates, settings, data folder, schema, open workflows and backups, and say what is wrong with its cure. Changes nothing. The exit code is 3 if something must be cured.',
      load: () => import('./doctor/doctor.ts'),
    },
    backup: {
      summary:
        'Back up all that a data folder holds, while its crawls go on: to a folder, or to s3://bucket/prefix. Without a target, to that of ORBWEAVER_BACKUP.',
      load: () => import('./tools/backup.ts'),
    },
    replay: {
      summary:
        'Replay workflow histories against the code in this folder. The exit code is 3 if the code would take other steps than a history.',
      load: () => import('./tools/replay.ts'),
    },
    temporal: {
      summary:
        'Run the Temporal CLI against the running stack. All further arguments go to the Temporal CLI.',
      load: () => import('./tools/temporal.ts'),
    },
    robots: {
      summary: 'Tools for robots.txt.',
      load: () => import('./tools/urls.ts'),
    },
    url: {
      summary: 'Tools for URLs.',
      load: () => import('./tools/urls.ts'),
    },
    completion: {
      summary: 'Print a script that completes verbs and options in a shell.',
      load: () => import('./tools/completion.ts'),
    },
  },
  'Crawls, here or at a --server:': {
    crawls: {
      summary: 'List, start, pause, resume, cancel and delete crawls.',
      load: () => import('./steer/crawls.ts'),
    },
    pause: {
      summary: 'Pause a crawl. Requests in flight are finished, and no URL is lost.',
      load: () => import('./steer/crawls.ts'),
    },
    cancel: {
      summary: 'Cancel a crawl for good. URLs that are still queued are not fetched.',
      load: () => import('./steer/crawls.ts'),
    },
    status: {
      summary: 'Show a crawl. Without an id, show the stack and the latest crawls.',
      load: () => import('./look/status.ts'),
    },
    pages: {
      summary: 'Write the pages of a crawl to standard output, one JSON object per line.',
      load: () => import('./content/pages.ts'),
    },
    audit: {
      summary:
        'Recount every URL of a crawl and compare the counts with its ledger. The exit code is 3 if they differ.',
      load: () => import('./look/audit.ts'),
    },
    explain: {
      summary:
        'Explain a URL: every decision about it, why it was fetched, was skipped or waits, or what would become of it. Without a URL, explain the crawl: where its time goes, which hosts hold it up, when it will be over.',
      load: () => import('./look/explain.ts'),
    },
    edit: {
      summary:
        'Change settings of a crawl, also while the crawl runs. Settings that are not named stay as they are.',
      load: () => import('./steer/edits.ts'),
    },
    versions: {
      summary:
        'List the versions of the settings of a crawl, the latest first, and what each version did to the URLs.',
      load: () => import('./steer/edits.ts'),
    },
    restore: {
      summary: 'Give a crawl the settings of an earlier version again. This makes a new version.',
      load: () => import('./steer/edits.ts'),
    },
    session: {
      summary: 'Give a crawl the sessions by which it is logged in at sites, list them, take them back.',
      load: () => import('./steer/sessions.ts'),
    },
    report: {
      summary:
        'Show the results of a crawl: totals, states, statuses, errors, hosts, and the slowest and largest answers.',
      load: () => import('./look/report.ts'),
    },
    freshness: {
      summary:
        'Show how fresh a crawl is that keeps its pages fresh, hour by hour; or what a goal can reach, before it is set with edit.',
      load: () => import('./look/freshness.ts'),
    },
    'near-duplicates': {
      summary: 'List pages with nearly the same text, by the page that stands for them.',
      load: () => import('./content/repeated.ts'),
    },
    boilerplate: {
      summary: 'Show the text that a crawl leaves out of the pages of a host, since many of them have it.',
      load: () => import('./content/repeated.ts'),
    },
    fetch: {
      summary:
        'Write one page as Markdown, text or HTML to standard output: from the archive if a visit to it is young enough, else fetched as politely as any page of a crawl. A stack must be running.',
      load: () => import('./content/fetch.ts'),
    },
    body: {
      summary:
        'Write the body that a URL was answered with, byte by byte as it was stored, to standard output or to a file; or the page as Markdown, or its screenshot or PDF.',
      load: () => import('./content/body.ts'),
    },
    events: {
      summary: 'List the events of a crawl, or follow them until the crawl is over.',
      load: () => import('./look/events.ts'),
    },
    changes: {
      summary:
        'List the pages of a crawl that changed since they were fetched before, in the order in which they were fetched; or the versions of one page, the latest first.',
      load: () => import('./content/changes.ts'),
    },
    diff: {
      summary:
        'Show what changed between two versions of a page: its metadata, and the words of its main text.',
      load: () => import('./content/changes.ts'),
    },
    sitemaps: {
      summary: 'List the sitemaps of a crawl: what each names, and what is wrong with it, by line.',
      load: () => import('./look/sitemaps.ts'),
    },
    seeds: {
      summary: 'Add seeds to a crawl, or list its seeds.',
      load: () => import('./steer/seeds.ts'),
    },
    extract: {
      summary:
        'Try rules on one page: its fields, text and links. With --crawl, on the page as that crawl has stored it, without a request. Otherwise the page is fetched by a crawl of one page, as politely as any: robots.txt, opt-outs and the pace of the host hold; that crawl is deleted after a day.',
      load: () => import('./content/extract.ts'),
    },
    render: {
      summary:
        'Render one page in a browser, and show what that took and gained: rounds, files, words and links. The page and its files are fetched by a crawl of one page, as politely as any: robots.txt, opt-outs and the pace of the hosts hold; that crawl is deleted after a day.',
      load: () => import('./content/render.ts'),
    },
    search: {
      summary: 'Search the texts of the pages of crawls that are indexed.',
      load: () => import('./content/search.ts'),
    },
    index: {
      summary:
        'Index the pages of a crawl for the verb search, in the background. The index of a crawl that is still open follows it.',
      load: () => import('./content/search.ts'),
    },
    export: {
      summary:
        'Write all pages of a crawl to standard output or to a file. Formats that are no stream (links, parquet, wacz, markdown, corpus) are made by the stack as by export start, waited for, and downloaded with --out. If the export breaks off, the exit code is not 0.',
      load: () => import('./content/exports.ts'),
    },
    reextract: {
      summary:
        'Read the stored bodies of a crawl again, without any fetch, and compare, use or undo the result.',
      load: () => import('./content/reextract.ts'),
      examples: ['start 3 --wait', 'compare 3 7', 'switch 3 7', 'undo 3 7'],
    },
    'dead-letters': {
      summary:
        'List the URLs that a crawl gave up, each with the class and message of its error. --json shows all evidence.',
      load: () => import('./steer/dead-letters.ts'),
    },
    redrive: {
      summary:
        'Queue dead letters of a crawl again, each with its full number of tries. The stack must be running.',
      load: () => import('./steer/dead-letters.ts'),
    },
  },
  'The instance, here or at a --server:': {
    hosts: {
      summary: 'List the hosts that crawls have met, with their states and settings.',
      load: () => import('./hosts/hosts.ts'),
    },
    host: {
      summary: 'Show, retry, pause, resume and drop hosts, and change their settings.',
      load: () => import('./hosts/host.ts'),
    },
    cap: {
      summary: 'How much all hosts of a domain, or at an IP address, are sent together, by all workers.',
      load: () => import('./hosts/caps.ts'),
    },
    'opt-out': {
      summary: 'Domains that no crawl may send requests to.',
      load: () => import('./hosts/opt-out.ts'),
    },
    ranks: {
      summary: 'A public ranking of domains, by which crawls trust hosts that they have not met.',
      load: () => import('./hosts/ranks.ts'),
    },
    shards: {
      summary: 'Shards of hosts: how the scheduler of each shares its places, and how to split one.',
      load: () => import('./hosts/shards.ts'),
    },
    keys: {
      summary: 'List, create and revoke API keys.',
      load: () => import('./admin/keys.ts'),
    },
    tenant: {
      summary: 'Show your own tenant: its quotas, and how much of each is used.',
      load: () => import('./admin/tenants.ts'),
    },
    tenants: {
      summary: 'List, create, change and close tenants, for admins of the instance.',
      load: () => import('./admin/tenants.ts'),
    },
    quarantine: {
      summary:
        'Shapes of URLs that look like traps: their URLs are kept back, and nothing of them is deleted.',
      load: () => import('./steer/quarantine.ts'),
    },
    webhooks: {
      summary: 'Webhooks: URLs that receive events.',
      load: () => import('./admin/webhooks.ts'),
    },
    'audit-log': {
      summary: 'List the changes that were asked for, and by whom, the latest first.',
      load: () => import('./admin/audit-log.ts'),
    },
  },
};
