/**
 * Sixty faults as a tired developer makes them, one small change each, six in each room of the product: somebody who runs
 * a crawl, or a host that is crawled, would suffer from any of them. All of them pass the type check. main.ts applies one
 * at a time and asks the tests. The list stays as it is, so that what tests catch can be compared: a fault whose code has
 * changed is written anew there, and none is taken out because no test catches it.
 */

export interface Fault {
  readonly room: (typeof rooms)[number];
  /** What is wrong then. */
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

export const rooms = [
  'rules',
  'content',
  'net',
  'visits',
  'frontier',
  'feeding',
  'reading',
  'workflows',
  'api',
  'stack',
] as const;
export const faultsOfRoom = 6;

export const faults: readonly Fault[] = [
  {
    room: 'rules',
    name: 'A host without a delay is not slowed down by its complaints.',
    file: 'domain/pace.ts',
    from: 'Math.max(base, defaultDelayMs) * 2 ** slowdown',
    to: 'base * 2 ** slowdown',
  },
  {
    room: 'rules',
    name: 'The max-age of a robots.txt is taken for milliseconds.',
    file: 'domain/robots-freshness.ts',
    from: 'Math.max((clamped(seconds) - clamped(age)) * 1_000, leastMs)',
    to: 'Math.max(clamped(seconds) - clamped(age), leastMs)',
  },
  {
    room: 'rules',
    name: 'A copy of the list of opt-outs stays fresh while the machine is suspended.',
    file: 'domain/opt-out.ts',
    from: 'const age = Math.max(monotonicNow',
    to: 'const age = Math.min(monotonicNow',
  },
  {
    room: 'rules',
    name: 'A tenant gets one more than a quota allows.',
    file: 'domain/quotas.ts',
    from: 'used[quota] < limit',
    to: 'used[quota] <= limit',
  },
  {
    room: 'rules',
    name: 'A cookie of example.com is sent to badexample.com.',
    file: 'domain/cookies.ts',
    from: 'host === domain || host.endsWith(`.${domain}`);',
    to: 'host.endsWith(domain);',
  },
  {
    room: 'rules',
    name: 'URLs of one tenant among those of others blame the host for that tenant alone.',
    file: 'domain/blame.ts',
    from: 'alone: [...failing, ...complained].every(',
    to: 'alone: [...failing, ...complained].some(',
  },
  {
    room: 'content',
    name: 'X-Robots-Tag directives for all agents by name, `*: noindex`, are left aside.',
    file: 'content/robots-directives.ts',
    from: "ours = name === '*' || agentTokens.includes(name);",
    to: 'ours = agentTokens.includes(name);',
  },
  {
    room: 'content',
    name: 'Other languages beyond the limit of a sitemap are cut silently.',
    file: 'content/sitemap-xml.ts',
    from: '        this.leftOut++;\n        continue;',
    to: '        continue;',
  },
  {
    room: 'content',
    name: 'A difference that begins or ends with the text shows all unchanged lines there.',
    file: 'content/text-diff.ts',
    from: 'lines.slice(lines.length - after)',
    to: 'lines.slice(-after)',
  },
  {
    room: 'content',
    name: 'Blocks at the end of a long page never count as repeated.',
    file: 'content/repeated.ts',
    from: 'take(backwards(all), mostOfPage);',
    to: 'take(backwards(all), half);',
  },
  {
    room: 'content',
    name: 'A hidden part ends with the first element of its name within it.',
    file: 'content/hidden-parts.ts',
    from: 'if (this.#name === name) this.#depth++;\n    else if (this.#name === null &&',
    to: 'if (this.#name === null &&',
  },
  {
    room: 'content',
    name: 'The limit on the bytes of a sitemap holds for each piece of it.',
    file: 'content/sitemap.ts',
    from: 'const room = sitemapLimits.bytes - bytes;',
    to: 'const room = sitemapLimits.bytes;',
  },
  {
    room: 'net',
    name: 'Room for a body that is released twice is given back twice.',
    file: 'net/body-budget.ts',
    from: '      held -= bytes;\n',
    to: '',
  },
  {
    room: 'net',
    name: 'The TTL of an address is taken for milliseconds.',
    file: 'net/dns-cache.ts',
    from: 'answer.ttlSeconds * second',
    to: 'answer.ttlSeconds',
  },
  {
    room: 'net',
    name: 'Requests of a connection are not counted, so that one closed as idle blames its host.',
    file: 'net/exchange.ts',
    from: '    const connection = this.#context.connection();\n    if (connection !== undefined) connection.requests++;\n',
    to: '',
  },
  {
    room: 'net',
    name: 'What a compressed body unpacks to is not counted.',
    file: 'net/content-coding.ts',
    from: '        this.#size += chunk.length;\n',
    to: '',
  },
  {
    room: 'net',
    name: 'A Last-Modified that no field can hold stops its URL.',
    file: 'net/fetcher.ts',
    from: 'if (lastModified !== undefined && isFieldValue(lastModified))',
    to: 'if (lastModified !== undefined)',
  },
  {
    room: 'net',
    name: 'While DNS is away, services of the stack on other machines are not guarded.',
    file: 'net/own-services.ts',
    from:
      '      answers.length > 0 || kept === undefined\n' +
      '        ? new Set(answers.map(({ address }) => plain(address)))\n' +
      '        : kept.addresses;',
    to: '      new Set(answers.map(({ address }) => plain(address)));',
  },
  {
    room: 'visits',
    name: 'Two workers that renew their leases lock hosts in any order.',
    file: 'storage/leases/keep.sql.ts',
    from: '\n      order by h.id for update of h\n',
    to: '\n      for update of h\n',
  },
  {
    room: 'visits',
    name: 'A short pause that a host asks for ends a longer one.',
    file: 'storage/leases/keep.sql.ts',
    from: "update host set not_before = greatest(not_before, now() + $3 * interval '1 millisecond'),",
    to: "update host set not_before = now() + $3 * interval '1 millisecond',",
  },
  {
    room: 'visits',
    name: 'A paused host is asked for a robots.txt on behalf of another one.',
    file: 'engine/visit/gates.ts',
    from: "lease.taken.paused ? { kind: 'held' } : null",
    to: 'null',
  },
  {
    room: 'visits',
    name: 'A renewed lease counts from the answer of Postgres, so that its holder trusts it for too long.',
    file: 'engine/visit/lease-keeper.ts',
    from:
      '    const now = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };\n' +
      '    try {\n' +
      '      const held = asked.map(({ hostId, taken, crawls }) => ({ id: hostId, token: taken.token, crawls }));\n' +
      '      const rows = await renewLeases(this.#pool, JSON.stringify(held), this.#leaseMs);\n',
    to:
      '    try {\n' +
      '      const held = asked.map(({ hostId, taken, crawls }) => ({ id: hostId, token: taken.token, crawls }));\n' +
      '      const rows = await renewLeases(this.#pool, JSON.stringify(held), this.#leaseMs);\n' +
      '      const now = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };\n',
  },
  {
    room: 'visits',
    name: 'After a crash a host is asked again at once, although a request may be in flight.',
    file: 'engine/visit/pacer.ts',
    from: 'performance.now() - (unclean ? 0 : Math.max(0, agoMs ?? 0));',
    to: 'performance.now() - Math.max(0, agoMs ?? 0);',
  },
  {
    room: 'visits',
    name: 'A request that has waited long leaves for a host that has opted out meanwhile.',
    file: 'engine/visit/gates.ts',
    from: '    leaving: ({ services }, _, url) => services.books.optOuts.permits(url),\n',
    to: '',
  },
  {
    room: 'frontier',
    name: 'A crawl that is ending queues further URLs.',
    file: 'storage/frontier/admission.sql.ts',
    from: "        when c.state = 'draining' then 'crawl-limit'\n",
    to: '',
  },
  {
    room: 'frontier',
    name: 'URLs are leased without the lock on the queues of their host.',
    file: 'storage/frontier/leasing.sql.ts',
    from: 'q.has_queued order by q.crawl_id for update\n',
    to: 'q.has_queued order by q.crawl_id\n',
  },
  {
    room: 'frontier',
    name: 'A URL that crashes workers is given up after seven crashes instead of six.',
    file: 'storage/frontier/leasing.sql.ts',
    from: 'u.reclaims >= 5 as often',
    to: 'u.reclaims > 5 as often',
  },
  {
    room: 'frontier',
    name: 'That a body was cut is not written.',
    file: 'storage/frontier/results.sql.ts',
    from: 'coalesce(r.chain, u.chain) end, truncated = r.truncated,\n',
    to: 'coalesce(r.chain, u.chain) end,\n',
  },
  {
    room: 'frontier',
    name: 'A result counts although its lease was lost.',
    file: 'storage/frontier/results.sql.ts',
    from: 'u.state = r.was and u.lease_token = r.token and',
    to: 'u.state = r.was and',
  },
  {
    room: 'frontier',
    name: 'A first link within its site counts as one from elsewhere, and the other way round.',
    file: 'engine/admission/admission.ts',
    from: 'inboundHosts: parent === null || internal ? 0 : 1, inboundPages: internal ? 1 : 0 }',
    to: 'inboundHosts: internal ? 1 : 0, inboundPages: parent === null || internal ? 0 : 1 }',
  },
  {
    room: 'feeding',
    name: 'A fetcher that gives URLs back untried after a long time is lent as much as before.',
    file: 'storage/lending/lend.sql.ts',
    from: '(l.wasted or l.settled_at is null and b.until < now())',
    to: '(l.settled_at is null and b.until < now())',
  },
  {
    room: 'feeding',
    name: 'A host is lent although its lease has gone to somebody else meanwhile.',
    file: 'storage/lending/lend.sql.ts',
    from: 'h.id = r.host_id and h.lease_token = r.token and h.lease_until > now()',
    to: 'h.id = r.host_id and h.lease_until > now()',
  },
  {
    room: 'feeding',
    name: 'Links that a fetcher offers of one page are not counted towards its limit.',
    file: 'engine/lending/offer.ts',
    from: '      ofParent.set(parentUrl, links);\n',
    to: '',
  },
  {
    room: 'feeding',
    name: 'A host is free before the trouble that its fetcher has reported is stored.',
    file: 'engine/lending/settle.ts',
    from: 'await retrying(() => holdTurns(',
    to: 'void retrying(() => holdTurns(',
  },
  {
    room: 'feeding',
    name: 'A host goes back to the scheduler with URLs in flight.',
    file: 'storage/feeding/rest.sql.ts',
    from: "      and not exists (select 1 from url u where u.host_id = h.id and u.state = 'leased')\n",
    to: '',
  },
  {
    room: 'feeding',
    name: 'Feeding locks the queues of hosts in any order.',
    file: 'storage/feeding/feed.sql.ts',
    from: 'q.has_queued\n      order by q.host_id, q.crawl_id for update\n',
    to: 'q.has_queued\n      for update\n',
  },
  {
    room: 'reading',
    name: 'The last pages of a batch may be read again while they are being committed.',
    file: 'engine/reading/read-pages.ts',
    from: '      // Before the end is known, nobody may read these pages again.\n      await committing;\n',
    to: '      void committing;\n',
  },
  {
    room: 'reading',
    name: 'A body is claimed for a crawl before it is claimed for the site that has a seed.',
    file: 'engine/reading/dedup.ts',
    from: 'for (const some of [ofSites, ofNone])',
    to: 'for (const some of [ofNone, ofSites])',
  },
  {
    room: 'reading',
    name: 'Exports that wait do not count among those that a crawl may have.',
    file: 'storage/jobs/jobs.sql.ts',
    from: 'where (select count(*) from job j where ${open} and crawl_id = $1) < $4',
    to: "where (select count(*) from job j where ${open} and j.state = 'running' and crawl_id = $1) < $4",
  },
  {
    room: 'reading',
    name: 'A title that begins with a minus is a formula in the spreadsheet that opens the CSV.',
    file: 'engine/exports/csv.ts',
    from: '/^[=+\\-@\\t\\r]/',
    to: '/^[=+@\\t\\r]/',
  },
  {
    room: 'reading',
    name: 'A zip archive of exactly 65,535 files cannot be opened.',
    file: 'engine/exports/zip.ts',
    from: 'files >= most16',
    to: 'files > most16',
  },
  {
    room: 'reading',
    name: 'An export that goes on after a crash keeps bytes that were not noted.',
    file: 'storage/exports/draft.ts',
    from: '    if (size > length) await file.truncate(length);\n',
    to: '',
  },
  {
    room: 'workflows',
    name: 'A crawl that has work again while it ends is over all the same.',
    file: 'workflows/crawl.ts',
    from: "    this.#phase = next(this.#phase, { kind: 'ends' });\n",
    to: '',
  },
  {
    room: 'workflows',
    name: 'A parked host that an operator has retried waits for its next probe as long as before.',
    file: 'workflows/host.ts',
    from: '    host.carried.probes = 0;\n',
    to: '',
  },
  {
    room: 'workflows',
    name: 'A scheduler rests while bodies wait to be read.',
    file: 'activities/feed.ts',
    from: 'left || refed > 0 || reads || activity?.seeding === true',
    to: 'left || refed > 0 || activity?.seeding === true',
  },
  {
    room: 'workflows',
    name: 'The signature of a webhook has its time in milliseconds.',
    file: 'engine/webhooks/deliver.ts',
    from: 'Math.floor(now / 1_000)',
    to: 'now',
  },
  {
    room: 'workflows',
    name: 'A host is looked at a last time before it is marked as idle, so that a URL which comes meanwhile waits.',
    file: 'engine/visit/visitor.ts',
    from: '    await retrying(() => markIdle(pool, hostId));\n    const [again] =',
    to: '    void retrying(() => markIdle(pool, hostId));\n    const [again] =',
  },
  {
    room: 'workflows',
    name: 'Standing crawls are looked through once, so that a lost schedule is not made again.',
    file: 'activities/patrol.ts',
    from: '    if (some.length < most) beginAnew(usual);\n',
    to: '',
  },
  {
    room: 'api',
    name: 'An Idempotency-Key gives the answer of one path to a request for another.',
    file: 'api/way-in/idempotency.ts',
    from: '[request.method, request.originalUrl, request.body ?? null]',
    to: '[request.method, request.body ?? null]',
  },
  {
    room: 'api',
    name: 'Keys of a closed tenant are accepted.',
    file: 'storage/tenancy/keys.sql.ts',
    from: 'k.revoked_at is null and t.closed_at is null\n',
    to: 'k.revoked_at is null\n',
  },
  {
    room: 'api',
    name: 'A request is carried out before the audit log has it.',
    file: 'api/way-in/gate.ts',
    from: 'await record(request, response, route);',
    to: 'void record(request, response, route);',
  },
  {
    room: 'api',
    name: 'Running crawls of a tenant whose only quota is of bytes are never paused.',
    file: 'storage/tenancy/tenants.sql.ts',
    from: "t.quotas ->> 'urlsTotal', t.quotas ->> 'storedBytes')",
    to: "t.quotas ->> 'urlsTotal')",
  },
  {
    room: 'api',
    name: 'A client that goes while it waits for its turn keeps the turn for ever.',
    file: 'api/way-in/turns.ts',
    from: '  if (!response.closed) return true;\n  turn.end();\n',
    to: '  if (!response.closed) return true;\n',
  },
  {
    room: 'api',
    name: 'Two crawls that are created together both get the last place of a quota.',
    file: 'storage/tenancy/tenants.sql.ts',
    from: 'where id = $1 for no key update`',
    to: 'where id = $1`',
  },
  {
    room: 'stack',
    name: 'Refused seeds behind the beginning of a long file are told with the line after theirs.',
    file: 'cli/crawl/seeds-file.ts',
    from: 'linesOf(head.subarray(0, start - 1))',
    to: 'linesOf(head.subarray(0, start))',
  },
  {
    room: 'stack',
    name: 'A stack stops Postgres before the workers that still commit.',
    file: 'stack/supervisor.ts',
    from: 'of running.toReversed()',
    to: 'of running',
  },
  {
    room: 'stack',
    name: 'A worker that has left in order counts as one that was lost.',
    file: 'workers/presence.ts',
    from: 'if (lost) return;',
    to: 'if (!lost) return;',
  },
  {
    room: 'stack',
    name: 'The file of --out may not have its name yet when the command has ended.',
    file: 'cli/output/out-file.ts',
    from: 'await rename(draft, name);',
    to: 'void rename(draft, name);',
  },
  {
    room: 'stack',
    name: 'A crawl of a stack that died cannot be resumed without its id.',
    file: 'cli/crawl/resume.ts',
    from: 'own || isInterrupted(each)',
    to: 'own && isInterrupted(each)',
  },
  {
    room: 'stack',
    name: 'Each failure to upload a segment makes the waits after all later ones longer.',
    file: 'engine/chores.ts',
    from: 'let failures = 0;\n    for (const { run',
    to: 'let failures = before;\n    for (const { run',
  },
];
