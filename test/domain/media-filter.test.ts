import { describe, expect, it } from 'vitest';
import { compileMediaFilter, isMediaRange } from '../../domain/media-filter.ts';

describe('media ranges', () => {
  it.each(['text/html', 'image/*', 'application/xhtml+xml', 'Application/PDF', 'x-a/b.c-d_e'])(
    '%s',
    (text) => {
      expect(isMediaRange(text)).toBe(true);
    },
  );
  it.each([
    '',
    'text',
    '*/*',
    '*/html',
    'text/',
    '/html',
    'text/html; charset=utf-8',
    'te xt/html',
    'text/h*',
    'a/b/c',
  ])('not %j', (text) => {
    expect(isMediaRange(text)).toBe(false);
  });
});

describe('a filter of media types', () => {
  const takes = compileMediaFilter(['text/html', 'image/*', 'Application/PDF']);
  it.each<[string | null, boolean]>([
    ['text/html', true],
    ['Text/HTML; charset=utf-8', true],
    ['text/html, text/plain', true],
    ['text/plain', false],
    ['image/png', true],
    ['imagery/png', false],
    ['application/pdf', true],
    ['application/pdfx', false],
    ['video/mp4;codecs="text/html"', false],
    [null, true],
    ['', true],
    [';', true],
  ])('%j: %j', (contentType, taken) => {
    expect(takes(contentType)).toBe(taken);
  });

  it('of nothing takes everything', () => {
    expect(compileMediaFilter([])('video/mp4')).toBe(true);
  });
});
