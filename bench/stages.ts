/** What CPU time of Orbweaver was spent on: told from what Linux says of each process and thread. */
import { readFileSync } from 'node:fs';

/** Threads by their names (comm of proc(5)), which Node, tokio and Temporal's SDK give them. */
const threadWork: readonly (readonly [RegExp, string])[] = [
  [/^WorkerThread/, 'workflows'],
  [/^(tokio|workflow-proces|temporal)/, "Temporal's bridge"],
  [/^(V8Worker|DelayedTaskSche)/, "V8's garbage and compiling"],
  [/^libuv/, 'files and names'],
];

/** What a thread of a worker process does. */
const workOf = (pid: number, thread: number, name: string): string =>
  thread === pid ? 'JavaScript' : (threadWork.find(([names]) => names.test(name))?.[1] ?? 'other threads');

const programs: readonly (readonly [RegExp, string])[] = [
  [/^postgres/, 'Postgres'],
  [/^temporal/, "Temporal's server"],
  [/^redis/, 'Redis'],
];

/** The stage for which a process works, and what each of its threads does; null: its threads are not told apart. */
interface Stage {
  readonly name: string;
  readonly work: ((thread: number, name: string) => string) | null;
}

/** Null for a process that is gone. */
export function stageOf(pid: number): Stage | null {
  let name, command, environment: string;
  try {
    [name = '', command = '', environment = ''] = ['comm', 'cmdline', 'environ'].map((file) =>
      readFileSync(`/proc/${String(pid)}/${file}`, 'utf8'),
    );
  } catch {
    return null;
  }
  const program = programs.find(([names]) => names.test(name))?.[1];
  if (program !== undefined) return { name: program, work: null };
  if (command.includes('/api/main.')) return { name: 'API', work: null };
  if (!command.includes('/workers/main.')) return { name: 'launcher', work: null };
  const roles = /(?:^|\0)ORBWEAVER_ROLES=([^\0]*)/.exec(environment)?.[1]?.split(',') ?? [];
  const stage = ['fetch', 'control', 'extract'].filter((role) => roles.includes(role)).join(' and ');
  return { name: stage, work: (thread, of) => workOf(pid, thread, of) };
}
