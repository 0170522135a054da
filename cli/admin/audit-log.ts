/** `audit-log`: who asked for which change or took which bodies, and how it was answered. */
import { auditList, auditQuery } from '../../contracts/http/audit.ts';
import { wholeNumber } from '../arguments.ts';
import { judged } from '../judged.ts';
import { moment } from '../output/table.ts';
import { asks } from '../verb.ts';

export const verbs = [
  asks({
    words: 'audit-log',
    takes: {
      '--actor <actor>': 'only changes that this actor asked for, such as "key 7d0f3a52-…"',
      '--method <method>': {
        about: 'only requests with this method',
        choices: ['POST', 'PUT', 'PATCH', 'DELETE'],
      },
      '--target <path>': 'only paths that begin with this text, such as /v1/crawls/3',
      '--since <instant>': 'only from this instant on, such as 2031-01-01T00:00:00Z',
      '--until <instant>': 'only before this instant',
      '--limit <n>': { about: 'entries to list at most', read: wholeNumber(1), usual: 100 },
      '--json': 'as JSON, one object a line',
    },
    examples: ['--limit 20', '--target /v1/crawls/3 --json'],
    needs: 'all',
    route: 'GET /v1/audit-log',
    query: ({ actor, method, target, since, until }) => {
      const filter = { actor, method, target, since, until };
      judged(auditQuery, filter, ([field]) => `--${String(field)}`);
      return filter;
    },
    most: ({ limit }) => limit,
    answer: auditList.shape.items.element,
    print: {
      heads: ['at', 'who', 'role', 'method', 'target', 'status', 'request', 'detail'],
      row: ({ at, actor, role, method, target, status, requestId, detail, lastAt, times }) => [
        moment(at),
        actor,
        role,
        method,
        target,
        status === null ? 'begun' : String(status),
        requestId,
        [detail ?? '', ...(lastAt === null ? [] : [`${String(times)} times, last ${moment(lastAt)}`])]
          .filter((words) => words !== '')
          .join('; '),
      ],
      none: 'There is no such entry.',
    },
  }),
];
