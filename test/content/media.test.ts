import { describe, expect, it } from 'vitest';
import { bodyKind, isExtractable, isPdf, parseContentType } from '../../content/media.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('parseContentType (RFC 9110 section 8.3.1)', () => {
  it.each([
    [null, '', null],
    ['', '', null],
    ['text/html', 'text/html', null],
    ['Text/HTML; Charset=UTF-8', 'text/html', 'UTF-8'],
    ['text/html;charset="iso-8859-1"', 'text/html', 'iso-8859-1'],
    ["text/html; charset='gbk'", 'text/html', 'gbk'],
    ['text/html; boundary=x; charset = koi8-r ; y=z', 'text/html', 'koi8-r'],
    ['text/html; charset=', 'text/html', null],
    ['text/html; xcharset=big5', 'text/html', null],
    ['text/html; charset=utf-8, text/plain', 'text/html', 'utf-8'],
    ['nonsense', '', null],
    ['; charset=utf-8', '', 'utf-8'],
  ])('%j', (value, essence, charset) => {
    expect(parseContentType(value)).toEqual({ essence, charset });
  });
});

describe('which bodies are PDFs', () => {
  it.each([
    ['application/pdf', '', true],
    ['application/pdf', 'Content-Type: application/pdf\r\n\r\n%PDF-1.4', true],
    ['application/pdf', '<html>gone</html>', false],
    ['application/pdf', '<br />\n<b>Warning</b>: fopen()\n%PDF-1.4', true],
    ['application/octet-stream', '\r\n\r\n%PDF-1.4', true],
    [null, `${'x'.repeat(1_024)}%PDF-1.4`, true],
    [null, `${'x'.repeat(1_025)}%PDF-1.4`, false],
    [null, '<!doctype html>a file begins with %PDF-1.4', false],
    ['text/html', '\n%PDF-1.4', true],
    ['text/plain', '%PDF-1.4', true],
    ['text/plain', 'A file begins with %PDF-1.4', false],
    ['image/png', '%PDF-1.4', false],
  ])('%s with %j: %s', (type, body, is) => {
    expect(isPdf(parseContentType(type), bytes(body))).toBe(is);
  });
});

describe('which bodies are read', () => {
  const png = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
  it.each([
    ['text/html', 'anything', 'html'],
    ['text/html', '', 'html'],
    ['application/xhtml+xml; charset=utf-8', '<html/>', 'xhtml'],
    ['application/xml', '<html xmlns="http://www.w3.org/1999/xhtml">', 'xhtml'],
    ['text/xml', '<rss version="2.0">', null],
    ['application/rss+xml', '<rss version="2.0">', null],
    ['text/plain', 'Plain words.', 'text'],
    ['text/plain', 'PK\x03\x04\x14\0\0', null],
    ['text/plain; charset=utf-16le', 'a\0b\0', 'text'],
    ['text/plain', '\xff\xfea\0b\0', 'text'],
    [null, '  <!DOCTYPE html><p>x', 'html'],
    [null, '\xef\xbb\xbf<!-- a comment --> <HTML>', 'html'],
    [null, '<?xml version="1.0"?><html>', 'html'],
    [null, 'just words', null],
    [null, '<htmlish>', null],
    ['application/octet-stream', '<html lang=en>', 'html'],
    ['application/octet-stream', '\x7fELF\x02\x01\x01\0', null],
    ['application/pdf', '%PDF-1.7', null],
    ['application/pdf', '\n<!doctype html><title>Not found</title>', 'html'],
    ['text/html', '%PDF-1.7\n', null],
    ['text/html', 'PK\x03\x04\x14\0\0', null],
    ['text/html', 'a\0b', 'html'],
    ['binary/octet-stream', '<br>\n<b>Warning', 'html'],
    ['text/plain', '<!doctype html><p>x', 'text'],
    ['text/markdown; charset=utf-8', '# A heading', 'text'],
    ['text/markdown', 'PK\x03\x04\x14\0\0', null],
    ['text/css', 'a{}', null],
    ['application/json', '{}', null],
  ])('%s with %j', (type, body, kind) => {
    expect(bodyKind(parseContentType(type), bytes(body))).toBe(kind);
    expect(isExtractable(type, bytes(body))).toBe(kind !== null);
  });

  it('leaves images alone, whatever is said of them', () => {
    expect(isExtractable('image/png', png)).toBe(false);
    expect(isExtractable('text/plain', png)).toBe(false);
    expect(isExtractable(null, png)).toBe(false);
  });

  it('looks at the first bytes only', () => {
    const late = Buffer.concat([Buffer.alloc(2_000, 'a '), Buffer.from([0, 1, 2])]);
    expect(isExtractable('text/plain', late)).toBe(true);
  });
});
