/** How often a crawl asks hosts, and what it sends them. */
import { z } from 'zod';
import { impersonated } from '../../domain/crawler-names.ts';
import { defaultDelayMs, maxDelayFactor } from '../../domain/pace.ts';
import { headerProblem, headersProblem } from '../../domain/request-headers.ts';
import { wholeNumber } from '../http/shared.ts';
import { setting, startSetting } from './setting.ts';

const requestHeaders = z.preprocess(
  (given, context) => {
    // Zod leaves this name out of what it reads, without a word.
    if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
      context.addIssue({ code: 'custom', message: 'no header can be called __proto__' });
    return given;
  },
  z
    .record(z.string(), z.string())
    .superRefine((headers, context) => {
      const problems = [
        headersProblem(headers),
        ...Object.entries(headers).map(([name, value]) => headerProblem(name, value)),
      ];
      const [first] = problems.filter((problem) => problem !== null);
      if (first !== undefined) context.addIssue({ code: 'custom', message: first });
    })
    .meta({
      description:
        'Request headers by name. They are sent to the exact origins (scheme, host, port) of the seeds only, and not with requests for robots.txt. Answers show each value as `[hidden]`. A crawl with request headers uses no stored bodies of other crawls.',
      examples: [{ Authorization: 'Bearer …' }],
    }),
);

export const pace = {
  delaySeconds: setting({
    schema: z.number().min(0).max(86_400).nullable(),
    fallback: null,
    description:
      'Seconds between two requests of this crawl to a host; other crawls are not delayed by this. Null: the Crawl-delay of the host, else one second. A longer Crawl-delay still holds. Only crawls of the first tenant may set less than one second.',
    flags: '--delay <seconds>',
    help: 'seconds between two requests of this crawl to a host; a longer delay in robots.txt still holds; less than 1 is for hosts you own',
    without: `the Crawl-delay in the robots.txt of the host, else ${String(defaultDelayMs / 1_000)}`,
    unit: 'seconds',
  }),
  delayFactor: setting({
    schema: z.number().positive().max(maxDelayFactor).nullable(),
    fallback: null,
    description:
      'The delay is at least this many times as long as the last answer of the host took (five minutes at most); null: the delay does not depend on that.',
    flags: '--delay-factor <x>',
    help: 'wait at least this many times as long as the last answer took',
    without: 'no such wait',
  }),
  weight: setting({
    schema: wholeNumber(1, 100),
    fallback: 1,
    description:
      'Turns that this crawl gets, at a host that several crawls want, for each turn of a crawl with weight 1.',
    flags: '--weight <n>',
    help: 'share of the turns at a host that other crawls want as well, 1 to 100',
  }),
  userAgent: startSetting({
    schema: z
      .string()
      .min(1)
      .max(256)
      .regex(
        /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/,
        'must be printable ASCII, without spaces at its ends',
      )
      .superRefine((text, context) => {
        const name = impersonated(text);
        if (name !== null)
          context.addIssue({ code: 'custom', message: `${name} is the name of another crawler` });
      })
      .nullable(),
    fallback: null,
    description:
      'User agent that is sent; null: that of the instance. Names of other well-known crawlers are refused.',
    flags: '--user-agent <text>',
    help: 'user agent to send',
    without: 'as set for the instance',
  }),
  headers: setting({
    schema: requestHeaders,
    fallback: {},
    flags: '--header <"Name: value">',
    help: 'request header to send to the origins of the seeds; it is sent to no other host and not with requests for robots.txt, and its value is never shown again; may be repeated',
    without: 'none',
    form: 'headers',
  }),
  keepCookies: startSetting({
    schema: z.boolean(),
    fallback: false,
    description:
      'True: cookies that the answers of a host set go along with later requests to this host, 20 of them and 4,096 characters at most. They are kept sealed. False: they go along a chain of redirects, and no further.',
    flags: '--keep-cookies',
    help: 'keep the cookies that a host sets, and send them with later requests to it',
  }),
};
