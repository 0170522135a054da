/** How the text of a setting becomes its value. Every schema reads text, since that is all an environment holds. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { isProxyUrl, proxyWords } from '../domain/proxy-url.ts';
import { capRateWords, isCapRate } from '../domain/caps.ts';

const number = (kind: string, low: number, high: number, whole: boolean) =>
  z.string().transform((text, context) => {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value >= low && value <= high && (!whole || Number.isInteger(value)))
      return value;
    context.addIssue({ code: 'custom', message: `must be ${kind} from ${String(low)} to ${String(high)}` });
    return z.NEVER;
  });

export const whole = (low: number, high: number) => number('a whole number', low, high, true);
export const decimal = (low: number, high: number) => number('a number', low, high, false);
export const port = whole(1, 65_535);

/** Requests per second of a cap: a whole number, or a fraction below 1; null: off. */
export const capRate = z.string().transform((value, context) => {
  if (value === 'off') return null;
  const rate = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
  if (isCapRate(rate)) return rate;
  context.addIssue({ code: 'custom', message: `must be off, ${capRateWords}` });
  return z.NEVER;
});

export const text = z.string().min(1, 'must not be empty');

/** Made absolute against the folder the process was started in. */
export const folder = text.transform((value) => path.resolve(value));

export const url = (...schemes: readonly string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    // The value itself may hold a password: it is never repeated in the message.
    message: `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });

/** A page on the web, written as it is requested: plain ASCII. */
export const webUrl = url('http:', 'https:').transform((value) => new URL(value).href);

/** Without a name or password: those would be shown with the URL. */
export const endpoint = webUrl.refine(
  (value) => new URL(value).username === '' && new URL(value).password === '',
  {
    message: 'must hold neither a name nor a password',
  },
);

/** As keys are that Orbweaver makes itself: storage/tenancy/api-keys.ts. */
export const apiKey = z
  .string()
  .regex(/^owk_[A-Za-z0-9_-]{32,128}$/, 'must be owk_ and 32 to 128 letters, digits, - or _');

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

export const secureUrl = z
  .string()
  .refine(
    (value) =>
      URL.canParse(value) &&
      (new URL(value).protocol === 'https:' ||
        (new URL(value).protocol === 'http:' && isLoopback(new URL(value).hostname))),
    { message: 'must be an https:// URL' },
  );

export const address = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:/]+):\d{1,5}$/, 'must be host:port');

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

/** Parts between commas, without empty ones. */
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const names = list.pipe(z.array(z.string()).min(1, 'must not be empty'));

/** Names of hosts, without port, as they stand in a URL. */
export const hostNames = list.pipe(
  z.array(
    z
      .string()
      .toLowerCase()
      .regex(
        /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/,
        'must be host names without scheme or port, such as crawler.example.com',
      ),
  ),
);

export const addresses = list.pipe(z.array(address));

export const cidrs = list.pipe(
  z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be CIDR blocks such as 10.0.0.0/8 or ::1/128' })),
);

/** The value may hold a password: the message does not repeat it. */
export const proxy = z.string().refine(isProxyUrl, { message: `must be ${proxyWords}` });

/** A bucket that is mistyped must not become a folder of that name. */
export const backupTarget = text.refine(
  (value) => !/^[a-z][a-z0-9+.-]+:/i.test(value) || /^s3:\/\/[^/]/.test(value),
  { message: 'must be a folder or s3://bucket/prefix' },
);

/** AES-256 wants 32 bytes. */
export const secretKeys = list.transform((entries, context) => {
  const keys = entries.map((entry) => Buffer.from(entry, 'base64'));
  if (keys.length > 0 && keys.every(({ length }) => length === 32)) return keys;
  context.addIssue({ code: 'custom', message: 'must be keys of 32 bytes each, in Base64' });
  return z.NEVER;
});

const isResolver = (entry: string): boolean => {
  if (isIP(entry) !== 0) return true;
  const [, ip = '', port] = /^(.+):(\d{1,5})$/.exec(entry) ?? [];
  const address = /^\[(.*)\]$/.exec(ip)?.[1];
  return (
    (address === undefined ? isIPv4(ip) : isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535
  );
};

export const resolvers = list.pipe(
  z.array(
    z
      .string()
      .refine(isResolver, 'must be IP addresses, with a port or without: 9.9.9.9, 10.0.0.1:5353, [::1]:53'),
  ),
);

export const listOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  list.pipe(z.array(oneOf(values)).min(1, `must name at least one of ${values.join(', ')}`));
