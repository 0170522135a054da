/** `explain`: why a URL was fetched, skipped or waits. */
import { loadConfig } from '../config/config.ts';
import type { Explanation } from '../contracts/http.ts';
import { explainUrlOf } from '../storage/explain.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { noSuchCrawl, withDatabase } from './stack.ts';

export async function explain(id: string, url: string, json: boolean): Promise<ExitCode> {
  const config = loadConfig();
  const found = await withDatabase(config, (pool) => explainUrlOf(pool, id, url, config.userAgent));
  if (found === null) throw noSuchCrawl(id);
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${explainLines(found).join('\n')}\n`);
  return exitCodes.ok;
}

export function explainLines(found: Explanation): string[] {
  const { record, scope, robots, deadLetter, next } = found;
  const line = (name: string, text: string | number | null | undefined): string[] =>
    text === null || text === undefined || text === '' ? [] : [`  ${name.padEnd(13)} ${String(text)}`];
  return [
    found.summary,
    ...line('URL', found.url),
    ...line('canonical', found.canonical === found.url ? null : found.canonical),
    ...line('key', found.key),
    ...line(
      'scope',
      scope === null ? null : [scope.verdict, scope.reason, scope.detail].filter(Boolean).join(', '),
    ),
    ...line('robots.txt', robotsText(robots)),
    ...line('state', record?.state),
    ...line('reason', record === null ? null : [record.reason, record.detail].filter(Boolean).join(': ')),
    ...line('depth', record?.depth),
    ...line('found on', record?.discoveredFrom ?? (record?.seed === true ? 'it is a seed' : null)),
    ...line('found at', record?.discoveredAt),
    ...line('fetched at', record?.fetchedAt),
    ...line('status', record?.status),
    ...line('redirects to', record?.redirectTo),
    ...line('duplicate of', record?.duplicateOf),
    ...line('cut short', record?.truncated),
    ...found.attempts.flatMap((attempt) =>
      line('attempt', `${attempt.at} ${attempt.class}: ${attempt.message}`),
    ),
    ...line(
      'dead letter',
      deadLetter === null
        ? null
        : `${deadLetter.class} after ${String(deadLetter.attempts)} attempts: ${deadLetter.message}`,
    ),
    ...line('next', next?.at),
    ...(next?.because ?? []).flatMap((sentence) => line('', sentence)),
  ];
}

function robotsText(robots: Explanation['robots']): string | null {
  if (robots === null) return null;
  if (robots.allowed === null) return 'not read yet';
  const rule = robots.rule === null ? 'no rule matches' : `line ${String(robots.line)}: ${robots.rule}`;
  return `${robots.allowed ? 'allows' : 'forbids'} it to ${robots.agent} (${rule})`;
}
