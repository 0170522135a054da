/** Checks of the settings: those that contradict each other, and the certificates of what they name. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { settings } from '../../config/table.ts';
import { may, must, unless, type Check, type Problem } from './check.ts';

type Key = keyof typeof settings;
const named = (key: Key): string => settings[key].name;

/** Neither bodies nor backups are in a bucket. */
const hasNoBucket = ({ s3Bucket, backupTarget }: Config): boolean =>
  s3Bucket === null && backupTarget?.startsWith('s3://') !== true;
const noBucket = `${named('s3Bucket')} is not set, and ${named('backupTarget')} names no bucket`;

/** Settings that have no effect, since another one says so. */
const idle: readonly (readonly [key: Key, isIdle: (config: Config) => boolean, because: string])[] = [
  ['postgresPort', (c) => c.databaseUrl !== null, `${named('databaseUrl')} names another Postgres`],
  ['temporalPort', (c) => c.temporalAddress !== null, `${named('temporalAddress')} names another Temporal`],
  ['temporalUiPort', (c) => c.temporalAddress !== null, `${named('temporalAddress')} names another Temporal`],
  ['temporalCli', (c) => c.temporalAddress !== null, `${named('temporalAddress')} names another Temporal`],
  ['redisPort', (c) => c.redisUrl !== null, `${named('redisUrl')} names another Redis`],
  ['s3Endpoint', hasNoBucket, noBucket],
  ['s3Region', hasNoBucket, noBucket],
  ['addressInFlight', (c) => c.addressRate === null, `${named('addressRate')} is off`],
  ['domainInFlight', (c) => c.domainRate === null, `${named('domainRate')} is off`],
  ['jwtIssuer', (c) => c.jwksUrl === null, `${named('jwksUrl')} is not set`],
  ['jwtAudience', (c) => c.jwksUrl === null, `${named('jwksUrl')} is not set`],
];

/** Pairs of settings by which something does not work, or not as it is meant. */
const contradictions: readonly ((config: Config) => Problem | null)[] = [
  (config) => {
    const fixed = (
      ['apiPort', 'postgresPort', 'temporalPort', 'temporalUiPort', 'redisPort'] as const
    ).filter((key) => config[key] !== null);
    const twice = fixed.find((key) => fixed.some((other) => other !== key && config[other] === config[key]));
    return twice === undefined
      ? null
      : must(
          `${named(twice)} and another setting name the same port.`,
          'Give each of them a port of its own.',
        );
  },
  ({ jwksUrl, jwtIssuer, jwtAudience }) =>
    jwksUrl !== null && (jwtIssuer === null || jwtAudience === null)
      ? must(
          `${named('jwksUrl')} is set, and ${named(jwtIssuer === null ? 'jwtIssuer' : 'jwtAudience')} is not: the API does not start.`,
          'Set both: a token of any issuer, or for anybody, would be let in otherwise.',
        )
      : null,
  ({ roles, browser }) =>
    roles.includes('render') && browser === 'off'
      ? must(`${named('roles')} has render, and ${named('browser')} is off.`, 'Take one of them back.')
      : null,
  ({ databaseUrl, temporalAddress, dataDir }) =>
    databaseUrl !== null && temporalAddress === null
      ? may(
          `Postgres is elsewhere (${named('databaseUrl')}), and Temporal is in ${dataDir}: a second machine would have workflows of its own for the same hosts.`,
          `Set ${named('temporalAddress')} before a second machine works on this Postgres.`,
        )
      : null,
  ({ crawlerUrl, contact, userAgent }) =>
    crawlerUrl === null && contact === null && !/https?:|@/.test(userAgent)
      ? may(
          `The user agent (${userAgent}) tells nobody whom to ask.`,
          `Set ${named('crawlerUrl')} or ${named('userAgent')} before strangers are crawled.`,
        )
      : null,
];

const settingsCheck: Check = {
  name: 'settings',
  look: ({ config }) =>
    unless(
      [
        ...idle.map(([key, isIdle, because]) =>
          config[key] !== null && isIdle(config)
            ? may(`${named(key)} has no effect: ${because}.`, `Take ${named(key)} back.`)
            : null,
        ),
        ...contradictions.map((look) => look(config)),
      ],
      'none contradicts another',
    ),
};

const soonDays = 14;
const connectMs = 5_000;

/** The end of the certificate that a server shows; rejects if it is not trusted. */
const shownBy = ({ hostname, port }: URL): Promise<Date> =>
  new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || 443), timeout: connectMs });
    socket.once('secureConnect', () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });

/** Servers and files whose certificates the settings lead to. */
const certificatesOf = (config: Config): (readonly [what: string, end: () => Promise<Date>])[] => {
  const urls = (['server', 'crawlerUrl', 'jwksUrl', 's3Endpoint', 'openSearchUrl'] as const).flatMap(
    (key) => {
      const url = config[key];
      return url?.startsWith('https:') === true ? [[named(key), () => shownBy(new URL(url))] as const] : [];
    },
  );
  const query = config.databaseUrl === null ? null : new URL(config.databaseUrl).searchParams;
  const files = ['sslrootcert', 'sslcert'].flatMap((name) => {
    const file = query?.get(name) ?? null;
    if (file === null || file === 'system') return [];
    const end = (): Date => new Date(new X509Certificate(readFileSync(file)).validTo);
    return [[`${name} of ${named('databaseUrl')}`, () => Promise.resolve().then(end)] as const];
  });
  return [...urls, ...files];
};

const certificates: Check = {
  name: 'certificates',
  look: async ({ config }) => {
    const all = certificatesOf(config);
    const problems = await Promise.all(
      all.map(async ([what, end]) => {
        try {
          const days = ((await end()).getTime() - Date.now()) / 86_400_000;
          if (days > soonDays) return null;
          const says = `The certificate of ${what} is over in ${days.toFixed(1)} days.`;
          return (days > 0 ? may : must)(says, 'Renew it.');
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          return must(`The certificate of ${what} cannot be used: ${why}.`, 'Repair the server or the file, or correct the setting.'); // prettier-ignore
        }
      }),
    );
    return unless(
      problems,
      all.length === 0 ? 'no setting leads to one' : all.map(([what]) => what).join(', '),
    );
  },
};

export const settingsChecks: readonly Check[] = [settingsCheck, certificates];
