/** Which bodies a crawl takes, by the media type of the answer (RFC 9110 §8.3.1; F27). */

/** Class of a URL whose body is of a type that the crawl does not take. */
export const unwantedType = 'content-type';

/** `type/subtype`, or `type/*` for all of a type. Tokens of RFC 9110 §5.6.2; no wildcard within one. */
const rangeForm = /^[!#$%&'+.^_`|~\w-]+\/(?:\*|[!#$%&'+.^_`|~\w-]+)$/;

export const isMediaRange = (text: string): boolean => rangeForm.test(text);

/** Asked with a Content-Type field, null where there is none: nobody knows then, and it is taken. */
export type MediaFilter = (contentType: string | null) => boolean;

/** @param ranges none: everything is taken */
export function compileMediaFilter(ranges: readonly string[]): MediaFilter {
  if (ranges.length === 0) return () => true;
  const wanted = new Set(ranges.map((range) => range.toLowerCase()));
  return (contentType) => {
    if (contentType === null) return true;
    // Two fields that were joined: the first one counts, as it does where the body is read.
    const type = (contentType.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
    if (type === '') return true;
    return wanted.has(type) || wanted.has(`${type.split('/', 1)[0] ?? ''}/*`);
  };
}
