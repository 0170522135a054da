/** Checks of the machine: programs, browser, ports, disk, DNS. */
import { spawnSync } from 'node:child_process';
import { statfsSync, statSync } from 'node:fs';
import { findBrowser } from '../../browser/find.ts';
import { programEnvironment } from '../../config/environment.ts';
import { usualPorts, type PortName } from '../../config/settings/ports.ts';
import { settings } from '../../config/table.ts';
import { DnsServers, machineServers } from '../../net/dns-servers.ts';
import { portPlans } from '../../stack/embedded.ts';
import { present } from '../../stack/folder.ts';
import { reservePort } from '../../stack/ports.ts';
import { packagedPostgres } from '../../stack/postgres.ts';
import { hasRedis } from '../../stack/redis.ts';
import { presentTemporalCli } from '../../stack/temporal-cli.ts';
import { bytes } from '../output/words.ts';
import { may, must, unless, type Check, type Place, type Problem } from './check.ts';

const programs: Check = {
  name: 'programs',
  look: ({ config }) => {
    const temporal = config.temporalAddress === null ? presentTemporalCli(config) : 'elsewhere';
    const postgres = config.databaseUrl === null ? packagedPostgres().version : 'elsewhere';
    const isFetched = temporal === null;
    return unless(
      [
        isFetched
          ? may(
              'The Temporal CLI is not installed.',
              'The first start downloads it, or builds it with Go; on a machine without internet name one with ORBWEAVER_TEMPORAL_CLI.',
            )
          : null,
        config.redisUrl === null && !hasRedis()
          ? may(
              'There is no redis-server on PATH, so workers share no cache.',
              'apt-get install redis-server, if several workers run.',
            )
          : null,
      ],
      `Node ${process.versions.node}, Postgres ${postgres}, Temporal ${String(temporal)}`,
    );
  },
};

const browser: Check = {
  name: 'browser',
  look: ({ config }) => {
    if (config.browser === 'off') return 'off: pages that need one keep what is read of them without';
    const search = findBrowser(config.browser, programEnvironment());
    const problem = config.browser === null ? may : must;
    if ('none' in search)
      return [problem(`Pages that need a browser are not rendered: ${search.none}.`, 'Install one, or set ORBWEAVER_BROWSER.')]; // prettier-ignore
    const { status, stderr, error } = spawnSync(search.program, ['--version'], { encoding: 'utf8' });
    if (status === 0) return search.program;
    const why = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
    return [
      problem(
        `The browser ${search.program} does not start: ${why}.`,
        'Install the libraries that it names, or another browser.',
      ),
    ];
  },
};

/** Ports that a start would take. */
const portsOf = ({ config }: Place): readonly PortName[] => [
  'api',
  ...(config.databaseUrl === null ? (['postgres'] as const) : []),
  ...(config.temporalAddress === null ? (['temporal', 'temporalUi'] as const) : []),
];

const ports: Check = {
  name: 'ports',
  look: async (place) => {
    if (place.running !== null) return 'taken by the stack that runs';
    const problems: Problem[] = [];
    for (const name of portsOf(place)) {
      const { what, key } = portPlans[name];
      const port = place.config[key];
      const fixed = port === null ? null : { port, setting: settings[key].name };
      // A fixed port that is taken is refused in words that say what to do.
      const reserved = await reservePort({ what, fixed, usual: usualPorts[name] });
      reserved.release();
      if (port === null && reserved.port !== usualPorts[name])
        problems.push(
          may(
            `Port ${String(usualPorts[name])} is taken, so ${what} gets another one at each start.`,
            `Free that port, or set ${settings[key].name} to one that stays.`,
          ),
        );
    }
    return unless(problems, 'those that a start takes are free');
  },
};

/** `/readyz` is not content with less. */
const leastBytes = 64 * 1024 ** 2;
const scarceBytes = 2 * 1024 ** 3;

const disk: Check = {
  name: 'disk',
  look: ({ config }) => {
    const places = [config.dataDir, config.blobDir].map((folder) => ({
      folder,
      disk: statSync(present(folder)).dev,
    }));
    const each = places.filter(({ disk }, at) => places.findIndex((other) => other.disk === disk) === at);
    const folders = each.map(({ folder }) => {
      const { bavail, bsize, ffree, files } = statfsSync(present(folder));
      return { folder, free: bavail * bsize, isOutOfFiles: files > 0 && ffree === 0 };
    });
    const problems = folders.map(({ folder, free, isOutOfFiles }) => {
      const cure = 'Free some room: bodies, tables, logs or other programs fill the disk.';
      if (isOutOfFiles) return must(`The disk of ${folder} takes no more files (inodes).`, cure);
      if (free < leastBytes) return must(`${bytes(free)} are free on the disk of ${folder}.`, cure);
      return free < scarceBytes ? may(`${bytes(free)} are free on the disk of ${folder}.`, cure) : null;
    });
    return unless(
      problems,
      folders.map(({ folder, free }) => `${bytes(free)} free for ${folder}`).join(', '),
    );
  },
};

const dns: Check = {
  name: 'DNS',
  look: async ({ config }) => {
    const servers = (): readonly string[] => (config.dns.length > 0 ? config.dns : machineServers());
    const resolvers = new DnsServers({ servers });
    try {
      if (await resolvers.answering()) return `a resolver answers (${servers().join(', ')})`;
    } finally {
      resolvers.close();
    }
    const where = config.dns.length > 0 ? settings.dns.name : '/etc/resolv.conf';
    return [
      must(
        `No resolver answers: ${servers().join(', ') || 'none is set'}.`,
        `Repair the network, or name others in ${where}: only hosts whose address is known can be asked.`,
      ),
    ];
  },
};

export const machineChecks: readonly Check[] = [programs, browser, ports, disk, dns];
