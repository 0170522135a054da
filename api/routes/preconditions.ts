/**
 * Editors do not overwrite one another (RFC 9110, sections 8.8.3 and 13): an answer has a strong ETag, and a change
 * with `If-Match` is made only if nobody has changed the resource since.
 *
 * A tag is `"<version>.<hash>"`. The version counts the edits of the resource. The hash is that of the whole answer,
 * which may also hold counters that move by themselves. A GET with `If-None-Match` compares the whole tag: 304 means
 * that not one byte has changed. `If-Match` compares only the version: no edit is refused because a counter moved. When
 * versions are compared, the statement that makes the change must compare them; of two editors at once exactly one
 * wins.
 */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { HttpProblem } from '../way-in/problem.ts';

/** Entity tags that one `If-Match` may hold. */
const mostTags = 100;
const tagForm = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
const ownTag = /^"(\d{1,15})\.[\w-]+"$/;

/** What an `If-Match` demands; the resource must exist in any case. */
export interface IfMatch {
  /**
   * The resource must have one of these versions; null: any version (`If-Match: *`). Empty: no version fits, the change
   * must not be made.
   */
  readonly versions: readonly number[] | null;
}

/** @param body the whole answer, as it will be sent. */
export function etagOf(version: number, body: object): string {
  return `"${String(version)}.${hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22)}"`;
}

/** Answers with the ETag; a GET whose `If-None-Match` has it gets 304 and no body. */
export function sendTagged(response: Response, version: number, body: object): void {
  const etag = etagOf(version, body);
  // The client may keep the answer but must ask each time; only so does a 304 come to use.
  response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
  const { method, headers } = response.req;
  const known = method === 'GET' || method === 'HEAD' ? headers['if-none-match'] : undefined;
  // Express itself would not answer 304 to a client that sends `Cache-Control: no-cache`, as fetch does.
  if (known !== undefined && isKnown(known, etag)) response.status(304).end();
  else response.json(body);
}

/** Section 13.1.2: compared weakly; `*` fits whatever exists. */
const isKnown = (field: string, etag: string): boolean =>
  field.trim() === '*' || tagsIn(field).some((tag) => tag.replace(/^W\//, '') === etag);

/**
 * The entity tags of a list, and anything that stands in the place of a tag. Tags hold no quotes, but may hold commas.
 */
const tagsIn = (field: string): readonly string[] => field.match(/(?:W\/)?"[^"]*"|[^\s,][^,]*/g) ?? [];

/**
 * Null: the request has no `If-Match`, the last change wins. @throws HttpProblem 400 for a header that is not
 * well-formed
 */
export function ifMatchOf({ headers }: Pick<Request, 'headers'>): IfMatch | null {
  const field = headers['if-match'];
  if (field === undefined) return null;
  if (field.trim() === '*') return { versions: null };
  const tags = tagsIn(field);
  if (tags.length === 0 || tags.length > mostTags || !tags.every((tag) => tagForm.test(tag))) {
    const detail = `If-Match: must be * or 1 to ${String(mostTags)} ETags in their quotes, with commas between them.`;
    throw new HttpProblem(400, detail);
  }
  // Weak tags never match (section 13.1.1), nor do tags of others.
  return {
    versions: tags.flatMap((tag) => Number(ownTag.exec(tag)?.[1] ?? Number.NaN)).filter(Number.isFinite),
  };
}

/**
 * For a route that compares no versions: a client that asks for the comparison must not believe that it was made.
 * @throws HttpProblem 400 if the request has an If-Match
 */
export function refuseIfMatch({ headers }: Pick<Request, 'headers'>): void {
  if (headers['if-match'] === undefined) return;
  const detail =
    'If-Match: this route compares no versions, so nothing was done. Leave If-Match out; /docs shows the routes that take it.';
  throw new HttpProblem(400, detail);
}

/**
 * Refuses a change whose `If-Match` does not hold, and tells the present ETag.
 * @param current null: the resource does not exist
 */
export function refuseStale(
  response: Response,
  current: { readonly version: number; readonly body: object } | null,
): never {
  const extras = { kind: 'precondition-failed' } as const;
  if (current === null) {
    const detail =
      'If-Match: the resource does not exist yet, and nothing was changed. Leave If-Match out to create the resource.';
    throw new HttpProblem(412, detail, extras);
  }
  const etag = etagOf(current.version, current.body);
  response.set('ETag', etag);
  const detail = `The resource has changed since it had that ETag, so this request changed nothing. Read the resource again, and send its present ETag (${etag}) if you still want the change.`;
  throw new HttpProblem(412, detail, { ...extras, etag });
}
