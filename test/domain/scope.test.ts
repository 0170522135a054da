import { describe, expect, it } from 'vitest';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import {
  compileScope,
  placeOf,
  reachOf,
  type Place,
  type ScopeConfig,
  type ScopeVerdict,
} from '../../domain/scope.ts';
import { compilePattern } from '../../domain/pattern.ts';
import { canonicalize, type CanonicalRules, type CanonicalUrl } from '../../domain/url.ts';

function link(raw: string, rules?: CanonicalRules): CanonicalUrl {
  const result = canonicalize(raw, undefined, rules);
  if (!result.ok) throw new Error(`${raw} was rejected: ${result.rejected}`);
  return result.value;
}

/** Stands in for the public suffix list: two labels, three below co.uk; addresses and single names have none. */
function registrableDomain(hostname: string): string | null {
  if (/:\d*$/.test(hostname)) throw new Error(`${hostname} is no host name`);
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return null;
  const labels = hostname.split('.');
  const wanted = hostname.endsWith('.co.uk') ? 3 : 2;
  return labels.length < wanted ? null : labels.slice(-wanted).join('.');
}

/** As a crawl judges that has these seeds. */
function judgeOf(
  config: Partial<ScopeConfig>,
  seeds: readonly (string | CanonicalUrl)[],
): (link: CanonicalUrl, depth: number) => ScopeVerdict {
  const whole = { ...defaultCrawlConfig, ...config };
  const judge = compileScope(whole, compilePattern);
  const read = seeds.map((seed) => (typeof seed === 'string' ? link(seed) : seed));
  const places = read.map((seed) => placeOf(seed, registrableDomain));
  return (asked, depth) => {
    const reach = reachOf(whole.scope, asked, registrableDomain);
    const holds = ({ domain, site, folder }: Place): boolean =>
      places.some(
        (place) =>
          place.domain === domain &&
          (site === undefined || place.site === site) &&
          (folder === undefined || place.folder === folder),
      );
    const seed = read.some(({ canonical }) => canonical === asked.canonical);
    return judge(asked, { depth, seed, inside: reach?.some(holds) ?? true });
  };
}

describe('scope', () => {
  it.each<[ScopeConfig['scope'], string, string, boolean]>([
    ['host', 'https://example.com/a/b', 'https://example.com/c', true],
    ['host', 'https://example.com/', 'http://example.com/', true],
    ['host', 'https://example.com/', 'https://www.example.com/', true],
    ['host', 'http://www.example.com/', 'https://example.com/', true],
    ['host', 'https://example.com/', 'https://sub.example.com/', false],
    ['host', 'https://example.com/', 'https://notexample.com/', false],
    ['host', 'https://example.com/', 'https://example.com:8443/', false],
    ['host', 'http://example.com:8080/', 'http://example.com:8080/a', true],
    ['host', 'http://example.com:8080/', 'http://example.com/', false],
    ['host', 'http://example.com:8080/', 'http://example.com:8081/', false],
    ['host', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080/a', true],
    ['domain', 'https://www.example.com/', 'http://blog.example.com/', true],
    ['domain', 'https://a.b.example.co.uk/', 'http://example.co.uk/', true],
    ['domain', 'https://example.co.uk/', 'http://other.co.uk/', false],
    ['domain', 'https://example.com:8080/', 'https://blog.example.com:8080/', true],
    ['domain', 'https://example.com:8080/', 'https://blog.example.com/', false],
    ['domain', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080/a', true],
    ['domain', 'http://127.0.0.1/', 'http://10.0.0.1/', false],
    ['domain', 'http://[::1]:8080/', 'http://[::1]:8080/a', true],
    ['domain', 'http://[::1]/', 'http://[::2]/', false],
    ['domain', 'http://localhost/', 'http://localhost/a', true],
    ['prefix', 'https://example.com/docs/', 'https://example.com/docs/a/b', true],
    ['prefix', 'https://example.com/docs/intro.html', 'http://www.example.com/docs/a', true],
    ['prefix', 'https://example.com/docs/', 'https://example.com/docs', false],
    ['prefix', 'https://example.com/docs/', 'https://example.com/docs-old/a', false],
    ['prefix', 'https://example.com/docs/?p=/x/y', 'https://example.com/docs/z', true],
    ['prefix', 'https://example.com/docs', 'https://example.com/other', true],
    ['prefix', 'https://example.com', 'https://example.com?a', true],
    ['prefix', 'https://example.com/%7euser/', 'https://example.com/~user/a', true],
    ['prefix', 'https://example.com/docs/', 'https://other.example/docs/a', false],
    ['any', 'https://example.com/', 'http://other.example:81/', true],
  ])('%s of %s, %s: %s', (scope, seed, candidate, inside) => {
    expect(judgeOf({ scope }, [seed])(link(candidate), 1).verdict).toBe(inside ? 'admit' : 'outside');
  });

  it('is the union over the seeds', () => {
    const judge = judgeOf({ scope: 'prefix' }, [
      'http://a.example/x/',
      'http://a.example/y/',
      'http://b.example/z/',
    ]);
    expect(judge(link('http://a.example/y/1'), 1).verdict).toBe('admit');
    expect(judge(link('http://b.example/z/1'), 1).verdict).toBe('admit');
    expect(judge(link('http://b.example/x/1'), 1).verdict).toBe('outside');
  });

  it('keeps the folder of a seed whose canonical form has lost its slash', () => {
    const rules = { dropTrailingSlash: true, dropWww: true };
    const seed = link('https://www.example.com/docs/', rules);
    const judge = judgeOf({ scope: 'prefix' }, [seed]);
    expect(judge(link('https://www.example.com/docs/', rules), 0).verdict).toBe('admit');
    expect(judge(link('https://www.example.com/docs/a/', rules), 1).verdict).toBe('admit');
    expect(judge(link('https://www.example.com/blog/', rules), 1).verdict).toBe('outside');
  });
});

describe('filters', () => {
  const seed = 'https://example.com/';

  it('exclude patterns bind every URL, seeds too, and are named', () => {
    const judge = judgeOf({ exclude: ['*.zip', 'https://example.com/'] }, [seed]);
    const file = judge(link('https://example.com/a.zip'), 1);
    expect(file).toEqual({ verdict: 'excluded', reason: 'pattern', detail: '*.zip' });
    expect(judge(link(seed), 0)).toMatchObject({ reason: 'pattern', detail: 'https://example.com/' });
    expect(judge(link('https://example.com/a.html'), 1).verdict).toBe('admit');
  });

  it('include patterns bind every URL but the seeds', () => {
    const judge = judgeOf({ include: ['*/docs/*', '*/help/*'] }, [seed]);
    expect(judge(link(seed), 0).verdict).toBe('admit');
    expect(judge(link('https://example.com/help/a'), 1).verdict).toBe('admit');
    expect(judge(link('https://example.com/blog/a'), 1)).toMatchObject({ reason: 'not-included' });
  });

  it('exclude wins over include', () => {
    const judge = judgeOf({ include: ['*/docs/*'], exclude: ['*/docs/old/*'] }, [seed]);
    expect(judge(link('https://example.com/docs/old/a'), 1)).toMatchObject({ reason: 'pattern' });
  });

  it('patterns see the canonical form', () => {
    const judge = judgeOf({ exclude: ['*utm_*'] }, [seed]);
    expect(judge(link('https://example.com/a?utm_source=x'), 1).verdict).toBe('admit');
  });

  it('depth: the limit itself is within; null is no limit', () => {
    const judge = judgeOf({ maxDepth: 2 }, [seed]);
    expect(judge(link('https://example.com/a'), 2).verdict).toBe('admit');
    const deep = judge(link('https://example.com/a'), 3);
    expect(deep).toEqual({ verdict: 'excluded', reason: 'depth', detail: 'depth 3, limit 2' });
    expect(judgeOf({ maxDepth: null }, [seed])(link('https://example.com/a'), 10_000).verdict).toBe('admit');
  });

  it('URL length: a limit below the general one', () => {
    const judge = judgeOf({ maxUrlLength: 21 }, [seed]);
    expect(judge(link('https://example.com/a'), 1).verdict).toBe('admit');
    expect(judge(link('https://example.com/ab'), 1)).toMatchObject({
      reason: 'url-length',
      detail: '22 characters, limit 21',
    });
  });

  it('excluded domains, with all below them, bind seeds too', () => {
    const judge = judgeOf({ scope: 'any', excludeDomains: ['ads.example', 'example.com'] }, [seed]);
    for (const url of ['http://ads.example/', 'https://x.ads.example:8443/a', seed])
      expect(judge(link(url), 0)).toMatchObject({ verdict: 'excluded', reason: 'domain' });
    expect(judge(link('https://notads.example/'), 1).verdict).toBe('admit');
  });

  it('included domains are a filter: seeds are exempt, and no scope is widened', () => {
    const judge = judgeOf({ scope: 'domain', includeDomains: ['docs.example.com', 'other.example'] }, [seed]);
    expect(judge(link(seed), 0).verdict).toBe('admit');
    expect(judge(link('https://v2.docs.example.com/a'), 1).verdict).toBe('admit');
    expect(judge(link('https://example.com/other'), 1)).toEqual({
      verdict: 'excluded',
      reason: 'not-included',
      detail: 'of none of 2 included domains',
    });
    expect(judge(link('https://other.example/'), 1).verdict).toBe('outside');
  });

  it('what is outside is not also excluded', () => {
    const judge = judgeOf({ exclude: ['*'], maxDepth: 0 }, [seed]);
    expect(judge(link('https://other.example/'), 1).verdict).toBe('outside');
  });
});

it('what pages need is bound by what is excluded, and by nothing else', () => {
  const config = {
    ...defaultCrawlConfig,
    ...{ requisites: true, maxDepth: 0, include: ['*/docs/*'], exclude: ['*.gif'] },
    ...{ includeDomains: ['a.example'], excludeDomains: ['ads.example'] },
  };
  const facts = { depth: 9, seed: false, inside: false, requisite: true };
  const verdictOn = (url: string, over: Partial<ScopeConfig> = {}) =>
    compileScope({ ...config, ...over }, compilePattern)(link(url), facts);
  expect(verdictOn('https://cdn.example/a.css')).toEqual({ verdict: 'admit' });
  expect(verdictOn('https://cdn.example/a.gif')).toMatchObject({ verdict: 'excluded', reason: 'pattern' });
  expect(verdictOn('https://x.ads.example/a.js')).toMatchObject({ verdict: 'excluded', reason: 'domain' });
  const unneeded = { requisites: false, render: 'never' } as const;
  const style = 'https://a.example/docs/a.css';
  expect(verdictOn(style, unneeded)).toMatchObject({ verdict: 'outside' });
  // What scripts ask for while a page is rendered.
  expect(verdictOn(style, { ...unneeded, render: 'auto' })).toEqual({ verdict: 'admit' });
  expect(verdictOn(style, { ...unneeded, renderAlways: ['*'] })).toEqual({ verdict: 'admit' });
});
