/** The host that a verb is about. */
import { hostOrigin } from '../../contracts/hosts.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { CommandError } from '../ending.ts';

/** The path of a host in the API. */
export const pathOf = (origin: string): string => `/v1/hosts/${encodeURIComponent(origin)}`;

/** @param before what the sentence about a wrong one begins with. @throws CommandError */
export const readOrigin =
  (before = '') =>
  (text: string): string => {
    const origin = hostOrigin.safeParse(text, { error: inWords });
    if (origin.success) return origin.data;
    throw new CommandError(`${before}${origin.error.issues[0]?.message ?? ''}.`);
  };

const about = 'such as https://example.com or http://127.0.0.1:8080';
export const oneHost = { '<origin>': { about, read: readOrigin() } } as const;
export const someHosts = { '[origin...]': { about, read: readOrigin() } } as const;
