/** Which bodies a crawl takes, by the media type of the answer (RFC 9110 §8.3.1; F27). */
import type { ExcludedReason } from './url-reason.ts';

/** The reason of an excluded URL: the crawl does not take bodies of its media type. */
export const unwantedType = 'content-type' satisfies ExcludedReason;

/** `type/subtype`, or `type/*` for all subtypes. Both are tokens (RFC 9110 §5.6.2), without wildcards inside. */
const rangeForm = /^[!#$%&'+.^_`|~\w-]+\/(?:\*|[!#$%&'+.^_`|~\w-]+)$/;

export const isMediaRange = (text: string): boolean => rangeForm.test(text);

/** Is a body with this Content-Type taken? Null: the answer has no such field; its type is unknown, so it is taken. */
export type MediaFilter = (contentType: string | null) => boolean;

/** @param ranges an empty list takes everything */
export function compileMediaFilter(ranges: readonly string[]): MediaFilter {
  if (ranges.length === 0) return () => true;
  const wanted = new Set(ranges.map((range) => range.toLowerCase()));
  return (contentType) => {
    if (contentType === null) return true;
    // Where two fields were joined the first counts, as it does when the body is read.
    const type = (contentType.split(/[;,]/, 1)[0] ?? '').trim().toLowerCase();
    if (type === '') return true;
    return wanted.has(type) || wanted.has(`${type.split('/', 1)[0] ?? ''}/*`);
  };
}
