import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packOutlinks, unpackOutlinks } from '../../storage/pages/index.ts';

const origin = 'https://a.example:8443';

describe('packed links', () => {
  it('name the page’s own origin once', () => {
    expect(packOutlinks(origin, [`${origin}/a?b`, `${origin}/`, 'https://a.example/a'])).toBe(
      '/a?b\n/\nhttps://a.example/a',
    );
  });

  it('come back as they were, protocol-relative looking paths and look-alike hosts included', () => {
    const link = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.webPath().map((path) => origin + (path.startsWith('/') ? path : `/${path}`)),
      fc.constantFrom(`${origin}//evil.example/`, `${origin}.evil.example/`, `${origin}1/x`, `${origin}/`),
    );
    fc.assert(
      fc.property(fc.array(link), (links) => {
        expect(unpackOutlinks(origin, packOutlinks(origin, links))).toEqual(links);
      }),
    );
  });
});
