/** What is kept of the pages of a crawl, and how they are read. */
import { z } from 'zod';
import { isMediaRange } from '../../domain/media-filter.ts';
import { renderLimits } from '../../domain/rendering/limits.ts';
import { renderModes, screenshotParts } from '../../domain/rendering/mode.ts';
import { pageRules } from '../http/page-rules.ts';
import { patterns } from '../http/patterns.ts';
import { setting, startSetting } from './setting.ts';

export const content = {
  contentTypes: setting({
    schema: z
      .array(z.string().max(200).refine(isMediaRange, 'not a media type such as text/html or image/*'))
      .max(100),
    fallback: [],
    description:
      'Media types whose bodies are read, such as `text/html` or `image/*`; an empty list: all. URLs with another type are excluded. Seeds and sitemaps are exempt.',
    flags: '--content-type <type>',
    help: 'take only bodies of this media type, such as text/html; may be repeated',
    without: 'all',
  }),
  nearDuplicates: setting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: pages whose text is nearly that of another page of the crawl are marked with it (`nearDuplicateOf`), and GET /v1/crawls/{crawlId}/near-duplicates lists them. Holds for pages that are read from then on.',
    flags: '--near-duplicates <yes|no>',
    help: 'mark pages whose text is nearly that of another page',
  }),
  boilerplate: setting({
    schema: z.enum(['keep', 'leave-out']),
    fallback: 'keep',
    description:
      'leave-out: blocks of text that more than a third of the first pages of a host have are left out of the text, the main text, the Markdown and what near-duplicates are found by; GET /v1/crawls/{crawlId}/boilerplate lists them. keep: they are not. The setting holds for pages that are read from then on; blocks are counted on the first hundred pages of a host.',
    flags: '--boilerplate <mode>',
    help: 'what becomes of text that more than a third of the pages of a host have: keep it, or leave it out',
  }),
  changes: setting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: answers are compared with those before them, of this crawl or of earlier ones; each page that changed gives an event `page.changed`, and GET /v1/crawls/{crawlId}/changes lists them. False: nothing is compared.',
    flags: '--changes <yes|no>',
    help: 'compare each answer with the one before it, of this crawl or an earlier one, and tell what changed',
  }),
  versionsKept: setting({
    schema: z.int().min(1).max(100),
    fallback: 5,
    description:
      'Versions kept of each page with their bodies, where `changes` is true; older ones are dropped.',
    flags: '--versions-kept <n>',
    help: 'how many versions to keep of each page that changes',
  }),
  search: startSetting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: the pages are indexed for searches by their texts, in the background. False: they are not, until an index is asked for.',
    flags: '--search',
    help: 'index the texts of the pages, for the verb search',
  }),
  rules: setting({
    schema: pageRules.nullable(),
    fallback: null,
    flags: '--rules <file>',
    help: 'read pages by the rules in this file (YAML or JSON): fields by CSS selectors, parts of the text, links; the verb extract tries them',
    without: 'none',
    form: 'rules',
  }),
  render: setting({
    schema: z.enum(renderModes),
    fallback: 'auto',
    description: `Which pages a browser renders before they are read. It has no network of its own: what their scripts ask for, up to ${String(renderLimits.resources)} files a page, is fetched by the crawl, at the pace of its hosts and by their robots.txt. auto: pages that say hardly anything without their scripts; always: each page of HTML; never: none. Without a browser on any worker no page is rendered. Holds for pages that are read from then on.`,
    flags: '--render <mode>',
    help: 'which pages a browser renders before they are read: those that need it, all or none',
  }),
  renderAlways: setting({
    schema: patterns,
    fallback: [],
    description: 'Pages whose URL matches one of these patterns are rendered, whatever `render` says.',
    flags: '--render-always <pattern>',
    help: 'render pages that match this pattern, written as for --include, even with --render=never; may be repeated',
    without: 'none',
  }),
  renderNever: setting({
    schema: patterns,
    fallback: [],
    description:
      'Pages whose URL matches one of these patterns are not rendered, whatever `render` and `renderAlways` say.',
    flags: '--render-never <pattern>',
    help: 'do not render pages that match this pattern, written as for --include; may be repeated',
    without: 'none',
  }),
  screenshot: setting({
    schema: z.enum(screenshotParts),
    fallback: 'none',
    description: `A picture (PNG) of each page that a browser renders: window: what a window of 1,280 × 800 shows; page: the whole page, up to 12,000 pixels high; none: no picture. Images, media and fonts are not loaded, so the picture lacks them. One of more than ${String(renderLimits.lookBytes)} bytes is not kept, and counted. Counts for the stored bytes of the tenant. Holds for pages that are rendered from then on.`,
    flags: '--screenshot <part>',
    help: 'keep a picture of each page that a browser renders: of what a window shows, or of the whole page, without its images',
  }),
  pdf: setting({
    schema: z.boolean(),
    fallback: false,
    description: `True: each page that a browser renders is printed as a PDF, which is kept as a picture is (\`screenshot\`), up to ${String(renderLimits.lookBytes)} bytes.`,
    flags: '--pdf <yes|no>',
    help: 'keep a PDF of each page that a browser renders, without its images',
  }),
  fresh: startSetting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: every body is downloaded anew. False: if an earlier crawl has stored a body, the request carries its validators, and the stored body is used if the server answers 304.',
    flags: '--fresh',
    help: 'download every body anew, even if an earlier crawl has stored it and it has not changed',
  }),
};
