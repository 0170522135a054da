/** `audit-log`: who asked for which change or took which bodies, and how it was answered. */
import { auditList, auditQuery, type AuditEntry } from '../../contracts/http/audit.ts';
import { inWords } from '../../contracts/http/wording.ts';
import { anyApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { CommandError, exitCodes, type ExitCode } from '../ending.ts';
import { moment, writeList, type Shown } from '../output/table.ts';

export interface AuditOptions extends VerbOptions {
  readonly actor?: string;
  readonly method?: string;
  readonly target?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

const shown: Shown<AuditEntry> = {
  heads: ['at', 'who', 'role', 'method', 'target', 'status', 'request', 'detail'],
  row: (entry) => [
    moment(entry.at),
    entry.actor,
    entry.role,
    entry.method,
    entry.target,
    entry.status === null ? 'begun' : String(entry.status),
    entry.requestId,
    [
      entry.detail ?? '',
      ...(entry.lastAt === null ? [] : [`${String(entry.times)} times, last ${moment(entry.lastAt)}`]),
    ]
      .filter((words) => words !== '')
      .join('; '),
  ],
  none: 'There is no such entry.',
};

/** The latest entry comes first. */
export async function auditLog(options: AuditOptions): Promise<ExitCode> {
  const { actor, method, target, since, until, limit, json = false } = options;
  const filter = { actor, method, target, since, until };
  const read = auditQuery.safeParse(filter, { error: inWords });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new CommandError(
      `--${String(issue?.path[0])} cannot be used: ${issue?.message ?? 'it is not valid'}.`,
    );
  }
  const api = await anyApi(options);
  const query = { ...filter, limit: Math.min(limit, 1_000) };
  await writeList(
    api.list('/v1/audit-log', auditList.shape.items.element, query, { most: limit }),
    json,
    shown,
  );
  return exitCodes.ok;
}
