import { describe, expect, it } from 'vitest';
import { keptField, rightsFields } from '../../domain/rights-fields.ts';
import { parseRobotsTag } from '../../content/robots-directives.ts';

describe('the fields of an answer that say what may be done with it', () => {
  it.each<[headers: Record<string, string>, kept: string | null]>([
    [{}, null],
    [{ 'content-type': 'text/html' }, null],
    [{ 'x-robots-tag': 'noindex\nother: none' }, 'noindex\nother: none'],
    [{ 'tdm-reservation': '1' }, 'tdm-reservation: 1'],
    [{ 'tdm-reservation': ' 1 \n0', 'x-robots-tag': 'noai' }, 'noai\ntdm-reservation: 1'],
    [{ 'tdm-policy': 'https://a.example/p' }, 'tdm-policy: https://a.example/p'],
    [{ 'tdm-reservation': '' }, null],
  ])('%j are kept as %j', (headers, kept) => {
    expect(rightsFields(headers)).toBe(kept);
  });

  it('leave the directives of X-Robots-Tag as they were, whatever they say', () => {
    const kept = rightsFields({
      'x-robots-tag': 'nofollow',
      'tdm-reservation': 'noindex',
      'tdm-policy': 'none',
    });
    expect(parseRobotsTag(kept, ['orbweaver'])).toMatchObject({ noindex: false, nofollow: true });
    expect(keptField(kept, 'tdm-policy')).toBe('none');
    expect(keptField('noai', 'tdm-policy')).toBeNull();
    expect(keptField(null, 'tdm-reservation')).toBeNull();
  });
});
