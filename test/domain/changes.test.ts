/** What counts as a change of a page, and what is told of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeBetween,
  fieldChanges,
  type Answered,
  type ReadVersion,
} from '../../domain/changes/compare.ts';

const words = Array.from({ length: 1_000 }, (_, at) => `word${String((at * 7_919) % 1_000)}`);
const page: ReadVersion = {
  ...{ title: 'Prices', description: null, language: 'en', canonical: null, noindex: false, nofollow: false },
  meta: { version: 1, headings: [{ level: 1, text: 'Prices' }], mainWords: 300 },
  main: words.join(' '),
  fields: { price: 12.5 },
};
const answer = (changes: Partial<ReadVersion> = {}, bodyHash = JSON.stringify(changes)): Answered => ({
  ...{ status: 200, redirectTo: null, bodyHash },
  read: { ...page, ...changes },
});
const gone: Answered = {
  status: 404,
  redirectTo: null,
  bodyHash: 'message',
  read: { ...page, main: 'not here' },
};

describe('a change', () => {
  it('is none where only bytes differ, or only what follows from how the page was read', () => {
    expect(changeBetween(answer(), answer({}, 'other bytes'))).toBeNull();
    const read = answer({ meta: { ...page.meta, version: 2, mainWords: 299 } });
    expect(changeBetween(answer(), read)).toBeNull();
  });

  it('names fields in a fixed order, and counts words', () => {
    const after = answer({
      ...{ title: 'New prices', main: `${page.main} and three more` },
      meta: { ...page.meta, authors: ['Ada'], headings: [{ level: 1, text: 'New prices' }] },
    });
    expect(changeBetween(answer(), after)).toMatchObject({
      fields: ['authors', 'headings', 'title', 'text'],
      ...{ wordsAdded: 3, wordsRemoved: 0, minor: false },
    });
    expect(fieldChanges(page, after.read ?? page)).toContainEqual({ field: 'authors', after: ['Ada'] });
  });

  it('names the fields of rules, and says no more than that bytes differ where they could not be applied', () => {
    const after = answer({ fields: { price: 13, stock: null } });
    expect(changeBetween(answer(), after)).toMatchObject({ fields: ['fields.price'], minor: false });
    expect(fieldChanges(page, after.read ?? page)).toEqual([
      { field: 'fields.price', before: 12.5, after: 13 },
    ]);
    expect(changeBetween(answer(), answer({ fields: null, title: 'Other' }))?.fields).toEqual(['body']);
    const both = [answer({ fields: null }), answer({ fields: null, title: 'Other' })] as const;
    expect(changeBetween(...both)?.fields).toEqual(['title']);
  });

  it('is minor where the text alone differs, by a hair', () => {
    const counted = changeBetween(answer({ main: `${page.main} 1` }), answer({ main: `${page.main} 2` }));
    expect(counted).toMatchObject({ fields: ['text'], wordsAdded: 1, wordsRemoved: 1, minor: true });
    const both = changeBetween(answer(), answer({ main: `${page.main} 2`, title: 'Other' }));
    expect(both?.minor).toBe(false);
    expect(changeBetween(answer(), answer({ main: words.toReversed().join(' ') }))?.minor).toBe(false);
  });

  it('is one of the status where a page is gone or moved, and of the body where nothing can be read', () => {
    expect(changeBetween(answer(), gone)?.fields.slice(0, 1)).toEqual(['status']);
    const moved: Answered = {
      status: 301,
      redirectTo: 'https://example.com/new',
      bodyHash: null,
      read: null,
    };
    expect(changeBetween(answer(), moved)).toMatchObject({
      fields: ['status', 'redirectTo'],
      wordsAdded: null,
    });
    const picture = { title: null, meta: {}, main: '' };
    expect(changeBetween(answer(picture, 'a'), answer(picture, 'b'))?.fields).toEqual(['body']);
    expect(changeBetween({ ...answer(), read: null }, answer({}, 'new'))?.fields).toEqual(['body']);
  });

  it('adds in one direction what it removes in the other, and is none between equals', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 })
      .map((some) => some.join(' '));
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [before, after] = [answer({ main: one }, 'one'), answer({ main: other }, 'other')];
        const [there, back] = [changeBetween(before, after), changeBetween(after, before)];
        expect(there === null).toBe(one === other);
        expect(there?.wordsAdded).toBe(back?.wordsRemoved);
        expect(there?.fields).toEqual(back?.fields);
      }),
    );
  });
});
