/** As whom the crawler asks, and where it may ask. */
import { addresses, cidrs, resolvers, text, webUrl } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const networkSettings = {
  crawlerUrl: nullable({
    name: 'ORBWEAVER_CRAWLER_URL',
    type: 'URL',
    schema: webUrl,
    fallback: null,
    defaultNote: 'none: the user agent names no page',
    description: 'Public address of the page `/crawler` of the API. The user agent names this address.',
  }),
  contact: nullable({
    name: 'ORBWEAVER_CONTACT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: 'none: the page says so',
    description: 'Who runs this crawler, for its page: an e-mail address, a URL, or words.',
  }),
  userAgent: nullable({
    name: 'ORBWEAVER_USER_AGENT',
    type: 'text',
    schema: text,
    fallback: null,
    defaultNote: '`Orbweaver/<version> (+<ORBWEAVER_CRAWLER_URL>)`; without that URL, `(polite crawler)`',
    description:
      'User agent that is sent, unless a crawl sets its own. The first word of it is looked up in robots.txt.',
  }),
  allowPrivate: setting({
    name: 'ORBWEAVER_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Blocks of private or special addresses that every crawl may reach.',
  }),
  webhookAllowPrivate: setting({
    name: 'ORBWEAVER_WEBHOOK_ALLOW_PRIVATE',
    type: 'CIDR list',
    schema: cidrs,
    fallback: '',
    defaultNote: 'none',
    description: 'Blocks of private or special addresses that webhooks may be sent to.',
  }),
  offLimits: setting({
    name: 'ORBWEAVER_OFF_LIMITS',
    type: 'list of host:port',
    schema: addresses,
    fallback: '',
    defaultNote: 'none',
    description:
      'Addresses that no crawl and no webhook may ever reach, in addition to those of the stack that other settings name.',
  }),
  dns: setting({
    name: 'ORBWEAVER_DNS',
    type: 'list of IP or IP:port',
    schema: resolvers,
    fallback: '',
    defaultNote: "the machine's resolvers",
    description:
      'DNS resolvers that are asked for the addresses of hosts; if one fails, the next one is asked.',
  }),
} as const;
