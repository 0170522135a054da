/** Sessions of crawls on the wire: given with their secrets, and never shown with them. */
import { z } from 'zod';
import { isProxyUrl, proxyWords } from '../../domain/proxy-url.ts';
import { headerProblem, headersProblem } from '../../domain/request-headers.ts';
import { hostOrigin } from '../hosts.ts';
import { count, crawlId, instant } from './shared.ts';

const text = (most: number) => z.string().min(1).max(most);
const oneOf = ['basic', 'bearer', 'headers'] as const;

const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  const problems = Object.entries(given).map(([name, value]) => headerProblem(name, value));
  const message = problems.find((problem) => problem !== null) ?? headersProblem(given);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

export const newSession = z
  .strictObject({
    cookies: text(2_000_000).optional().meta({
      description:
        'The content of a file of cookies: `cookies.txt` as browsers and extensions write it, or their JSON. Each cookie is sent where its domain, path, `Secure` and `SameSite` say.',
    }),
    origin: hostOrigin.optional().meta({
      description:
        'The origin at which `basic`, `bearer` or `headers` are sent, such as `https://example.com`.',
    }),
    path: text(1_024).startsWith('/').optional().meta({
      description: 'They are sent at and below this path; absent: everywhere at the origin.',
    }),
    basic: z
      .strictObject({
        user: z
          .string()
          .max(1_000)
          .regex(/^[^:]*$/, 'a user has no colon'),
        password: z.string().max(1_000),
      })
      .optional()
      .meta({ description: 'Sent as HTTP Basic (RFC 7617).' }),
    bearer: text(4_000)
      .regex(/^[A-Za-z0-9._~+/-]+=*$/, 'no bearer token (RFC 6750)')
      .optional()
      .meta({ description: 'Sent as bearer token (RFC 6750).' }),
    headers: headers.optional().meta({ description: 'Other header fields, such as `X-Api-Key`.' }),
    proxy: text(2_000).refine(isProxyUrl, `must be ${proxyWords}`).optional().meta({
      description:
        'An egress proxy by which all requests of the crawl go: HTTP CONNECT, or SOCKS5. Only crawls of the first tenant may have one.',
    }),
    loggedOutText: text(200).optional().meta({
      description:
        'A text that the site shows to those who are not logged in: an answer that has it, or redirects to an address that has it, shows that the session has ended.',
    }),
  })
  .superRefine((given, context) => {
    const kinds = oneOf.filter((name) => given[name] !== undefined);
    const message =
      kinds.length > 1
        ? 'basic, bearer and headers stand at one place: give one of them'
        : kinds.length === 1 && given.origin === undefined
          ? 'origin: say where it is to be sent, such as https://example.com'
          : kinds.length === 0 && given.cookies === undefined && given.proxy === undefined
            ? 'give cookies, basic, bearer, headers or proxy'
            : null;
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ id: 'NewSession' });
export type NewSession = z.output<typeof newSession>;

/** Of a crawl that is started, at most. */
export const newSessions = z.array(newSession).max(20);

export const sessionPath = z.strictObject({
  crawlId,
  place: text(1_000).meta({
    description:
      'A `place` of the list: an origin, a host, a domain with a dot before it, or `*`. Percent-encoded.',
  }),
});

export const sessionsView = z
  .object({
    sessions: z.array(
      z.object({
        place: z.string().meta({
          description:
            'Where it is sent: an origin, a host (`example.com`), a domain with all below it (`.example.com`), or `*`: with all requests.',
        }),
        kind: z.enum(['cookies', 'headers', 'proxy']),
        names: z
          .array(z.string())
          .meta({ description: 'Names of the cookies or of the header fields; the address of the proxy.' }),
        createdAt: instant,
        endsAt: instant.nullable().meta({
          description: 'When the first of the cookies is over; null: none has an end of its own.',
        }),
        keyId: z.string().meta({ description: 'Which key of the instance has sealed it.' }),
      }),
    ),
    loggedOutHosts: count.meta({
      description: 'Hosts that have logged the crawl out: it goes on there once it is given another session.',
    }),
    loggedOut: z
      .array(z.object({ origin: z.string(), since: instant, why: z.string(), queued: count }))
      .meta({ description: 'A hundred of these hosts at most.' }),
  })
  .meta({ id: 'CrawlSessions' });
export type SessionsView = z.infer<typeof sessionsView>;
