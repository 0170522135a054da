/** Dates of pages for which they are known. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extractor } from '../../content/extract.ts';
import type { Peers } from './peers.ts';

const ask = { xRobotsTag: null, agentTokens: [], maxLinks: 10 } as const;

export interface Told {
  readonly right: number;
  readonly wrong: readonly string[];
  readonly silent: readonly string[];
}

function toldOf(cases: readonly { name: string; known: string; found: string | null }[]): Told {
  const say = ({ name, known, found }: (typeof cases)[number]): string =>
    found === null ? name : `${name}: ${found}, not ${known}`;
  return {
    right: cases.filter(({ known, found }) => known === found).length,
    wrong: cases.filter(({ known, found }) => found !== null && known !== found).map(say),
    silent: cases.filter(({ found }) => found === null).map(say),
  };
}

/** Days on which newspaper4k's pages were published, as it finds them; null: its pages cannot be had. */
export function compareDates(extractor: Extractor, { newspaper }: Peers): Told | null {
  if (newspaper === null) return null;
  const cases = readdirSync(join(newspaper, 'metadata')).flatMap((file) => {
    const page = join(newspaper, 'html', file.replace(/\.json$/, '.html'));
    const { url, publish_date: known } = JSON.parse(
      readFileSync(join(newspaper, 'metadata', file), 'utf8'),
    ) as {
      url?: string;
      publish_date?: string | null;
    };
    if (!known || known === 'None' || !existsSync(page)) return [];
    const body = readFileSync(page);
    const { meta } = extractor.extract({
      ...{ body, url: url ?? 'http://site.example/', contentType: 'text/html', ...ask, now: Date.now() },
    });
    return [{ name: file, known: known.slice(0, 10), found: meta.published?.slice(0, 10) ?? null }];
  });
  return toldOf(cases);
}
