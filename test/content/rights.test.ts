import { describe, expect, it } from 'vitest';
import { rightsFields } from '../../domain/rights-fields.ts';
import { extract } from './page.ts';

const rightsOf = (head: string, headers: Record<string, string> = {}, body = '') =>
  extract(`<html><head>${head}</head><body>${body}<p>Text`, { xRobotsTag: rightsFields(headers) }).meta
    .rights;

const by = 'https://creativecommons.org/licenses/by/4.0/';

describe('the rights of a page', () => {
  it('are absent where it says nothing of them', () => {
    expect(rightsOf('<meta name="robots" content="noindex, follow">')).toBeUndefined();
    expect(rightsOf('<meta name="tdm-reservation" content="perhaps">')).toBeUndefined();
    expect(
      rightsOf('', {}, '<a href="/license">our licence</a><a href="https://creativecommons.org/">CC</a>'),
    ).toBeUndefined();
  });

  it.each<[head: string, found: object]>([
    ['<meta name="robots" content="noai, noimageai">', { noai: true, noimageai: true }],
    ['<meta name="ROBOTS" content="NOARCHIVE,NOSNIPPET">', { noarchive: true, nosnippet: true }],
    ['<meta name="orbweaver" content="noai"><meta name="otherbot" content="noarchive">', { noai: true }],
    [
      '<meta name="robots" content="unavailable_after: Friday, 25-Jun-2010 15:00:00 GMT, noarchive">',
      { unavailableAfter: '2010-06-25T15:00:00.000Z', noarchive: true },
    ],
    [
      '<meta name="robots" content="unavailable_after: 2030-01-02">',
      { unavailableAfter: '2030-01-02T00:00:00.000Z' },
    ],
    ['<meta name="robots" content="unavailable_after: soon, noai">', { noai: true }],
    [
      '<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="/policy.json">',
      { tdmReservation: true, tdmPolicy: 'https://example.com/policy.json' },
    ],
    ['<meta name="tdm-reservation" content="0">', { tdmReservation: false }],
  ])('are told by %s', (head, found) => {
    expect(rightsOf(head)).toEqual(found);
  });

  it.each<[headers: Record<string, string>, found: object]>([
    [{ 'x-robots-tag': 'noai' }, { noai: true }],
    [{ 'x-robots-tag': 'otherbot: noai\norbweaver: noarchive' }, { noarchive: true }],
    [
      { 'x-robots-tag': 'unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nosnippet' },
      { unavailableAfter: '2010-06-25T15:00:00.000Z', nosnippet: true },
    ],
    [
      { 'tdm-reservation': '1', 'tdm-policy': 'https://a.example/p' },
      { tdmReservation: true, tdmPolicy: 'https://a.example/p' },
    ],
    [
      { 'x-robots-tag': 'noai', 'tdm-reservation': '0' },
      { noai: true, tdmReservation: false },
    ],
  ])('are told by the fields %j', (headers, found) => {
    expect(rightsOf('', headers)).toEqual(found);
  });

  it('of the answer count before those of the page, and leave the crawl to its own directives', () => {
    const page = extract('<meta name="tdm-reservation" content="0"><p>Text', {
      xRobotsTag: rightsFields({ 'x-robots-tag': 'noindex', 'tdm-reservation': '1' }),
    });
    expect(page).toMatchObject({
      noindex: true,
      nofollow: false,
      meta: { rights: { tdmReservation: true } },
    });
  });

  it.each<[markup: string, value: string, from: string]>([
    [`<link rel="license" href="${by}">`, by, 'link'],
    ['<a rel="nofollow license" href="/terms">Terms</a>', 'https://example.com/terms', 'link'],
    [`<a href="//creativecommons.org/licenses/by/4.0/">CC</a>`, by, 'deed'],
    [`<script type="application/ld+json">{"@type":"Article","license":"${by}"}</script>`, by, 'schema'],
    [
      `<script type="application/ld+json">{"@type":"Article","license":{"@type":"CreativeWork","name":"CC BY","url":"${by}"}}</script>`,
      by,
      'schema',
    ],
    ['<meta name="dc.rights" content="© 2024 The Mill">', '© 2024 The Mill', 'meta'],
    [`<meta name="dcterms.license" content="${by}">`, by, 'meta'],
  ])('are a licence told by %s', (markup, value, from) => {
    expect(rightsOf(markup)?.licenses).toEqual([{ value, from }]);
  });

  it('are five licences at most, each once', () => {
    const links = Array.from({ length: 30 }, (_, n) => `<a rel=license href="/l${String(n % 9)}">l</a>`).join(
      '',
    );
    expect(rightsOf('', {}, links)?.licenses).toHaveLength(5);
    expect(rightsOf(`<link rel=license href="/${'x'.repeat(5_000)}">`)).toBeUndefined();
  });
});
