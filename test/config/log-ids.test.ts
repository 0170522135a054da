/** A thing has one name in the logs of all processes, and no line has a name twice. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { logIds } from '../../config/log-ids.ts';

const root = path.join(import.meta.dirname, '..', '..');
const rooms = '{activities,api,browser,config,content,engine,net,storage,tracing,workers}/**/*.ts';

/** What lines tell besides what they are about: figures, words, causes. A new name for a thing belongs into `logIds`. */
const facts =
  `accepted action address after bodies breaker cap change changed class crawls dependency dns domain domains
  done downSeconds dropped err excluded group held hosts inFlight into leases left logLevel match port ports quality queued quota
  quotas rate refused retryMs role roles rows secrets segment shape shapes shard signal state what why`.split(
    /\s+/,
  );
/** Pino writes these itself: a field of the same name would stand in the line twice. */
const taken = ['level', 'time', 'pid', 'hostname', 'name', 'msg'];

const levels = new Set(['fatal', 'error', 'warn', 'info', 'debug', 'trace']);

/** The names of fields in all calls of a log, with the place of each; `…` stands for a value whose fields nobody sees. */
function namesIn(file: string): (readonly [name: string, place: string])[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: (readonly [string, string])[] = [];
  const isLog = (called: ts.Expression): boolean =>
    (ts.isPropertyAccessExpression(called) &&
      levels.has(called.name.text) &&
      /log$/i.test(called.expression.getText())) ||
    (ts.isElementAccessExpression(called) && /log$/i.test(called.expression.getText()));
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLog(node.expression)) {
      const [about] = node.arguments;
      const place = `${file}:${String(source.getLineAndCharacterOfPosition(node.getStart()).line + 1)}`;
      if (about !== undefined && ts.isObjectLiteralExpression(about))
        for (const field of about.properties)
          found.push([ts.isSpreadAssignment(field) ? '…' : field.name.getText(), place]);
    }
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

it('every field of a log line is a known one', () => {
  const found = globSync(rooms, { cwd: root }).flatMap(namesIn);
  expect(found.length).toBeGreaterThan(100);
  const known = new Set([...Object.keys(logIds), ...facts]);
  expect([...known].filter((name) => taken.includes(name))).toEqual([]);
  // What the SDK of Temporal says has fields of its own.
  const unknown = found.filter(([name, place]) => !known.has(name) && !place.startsWith('workers/main.ts'));
  expect(unknown).toEqual([]);
});

it('docs/logs.md lists what a line may be about', () => {
  const page = readFileSync(path.join(root, 'docs', 'logs.md'), 'utf8');
  const table = page.slice(page.indexOf('| Field '), page.indexOf('Besides'));
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name, what]) => [name, what]);
  expect(rows).toEqual(Object.entries(logIds));
});
