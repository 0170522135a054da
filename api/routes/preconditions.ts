/**
 * Editors that do not overwrite one another (RFC 9110, sections 8.8.3 and 13): what is read has a strong ETag, and a
 * change with `If-Match` is made only if nobody has changed the thing since.
 *
 * A tag is `"<version>.<hash>"`. The version counts the edits of the thing; the hash is that of the whole answer, which
 * may also hold counters that move by themselves. A GET with `If-None-Match` compares all of it: 304 means that not one
 * byte has changed. `If-Match` compares versions: no edit is refused because a counter moved. Where the answer is not as
 * it was, the comparison belongs into the statement that makes the change; of two editors at once one wins.
 */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { HttpProblem } from '../way-in/problem.ts';

/** Entity tags that one `If-Match` may hold. */
const mostTags = 100;
const tagForm = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
const ownTag = /^"(\d{1,15})\.[\w-]+"$/;

/** What an `If-Match` asks for; the thing has to exist in any case. */
export interface IfMatch {
  /** One of these; null: any (`If-Match: *`). Empty: none that could be, the change must not be made. */
  readonly versions: readonly number[] | null;
}

/** @param body the whole answer, as it will be sent. */
export function etagOf(version: number, body: object): string {
  return `"${String(version)}.${hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22)}"`;
}

/** Answers with the ETag; a GET whose `If-None-Match` has it gets 304 and no body. */
export function sendTagged(response: Response, version: number, body: object): void {
  const etag = etagOf(version, body);
  // To be kept, but asked for each time: only so does a 304 come to bear.
  response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
  const { method, headers } = response.req;
  const known = method === 'GET' || method === 'HEAD' ? headers['if-none-match'] : undefined;
  // Express itself would not where the client sends `Cache-Control: no-cache`, as fetch does.
  if (known !== undefined && isKnown(known, etag)) response.status(304).end();
  else response.json(body);
}

/** Section 13.1.2: compared weakly; `*` is whatever is there. */
const isKnown = (field: string, etag: string): boolean =>
  field.trim() === '*' || tagsIn(field).some((tag) => tag.replace(/^W\//, '') === etag);

/** The entity tags of a list, and what stands there in their place. Tags hold no quotes, but may hold commas. */
const tagsIn = (field: string): readonly string[] => field.match(/(?:W\/)?"[^"]*"|[^\s,][^,]*/g) ?? [];

/** Null: the request has none, the last change wins. @throws HttpProblem 400 for one that is not well-formed */
export function ifMatchOf({ headers }: Pick<Request, 'headers'>): IfMatch | null {
  const field = headers['if-match'];
  if (field === undefined) return null;
  if (field.trim() === '*') return { versions: null };
  const tags = tagsIn(field);
  if (tags.length === 0 || tags.length > mostTags || !tags.every((tag) => tagForm.test(tag))) {
    const detail = `If-Match: 1 to ${String(mostTags)} ETags in their quotes, with commas between them, or *.`;
    throw new HttpProblem(400, detail);
  }
  // Weak tags never match (section 13.1.1), nor do tags that are not ours.
  return {
    versions: tags.flatMap((tag) => Number(ownTag.exec(tag)?.[1] ?? Number.NaN)).filter(Number.isFinite),
  };
}

/**
 * Refuses a change whose `If-Match` does not hold, and tells the ETag that would.
 * @param current null: the thing is not there
 */
export function refuseStale(
  response: Response,
  current: { readonly version: number; readonly body: object } | null,
): never {
  const extras = { kind: 'precondition-failed' } as const;
  if (current === null) {
    const detail = 'If-Match: there is nothing here yet; nothing was changed. Leave it out to make it.';
    throw new HttpProblem(412, detail, extras);
  }
  const etag = etagOf(current.version, current.body);
  response.set('ETag', etag);
  const detail = `It was changed since it had that ETag; nothing was changed now. Read it again, and send its ETag (now ${etag}) where the change is still wanted.`;
  throw new HttpProblem(412, detail, { ...extras, etag });
}
