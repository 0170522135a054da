/** The addresses on which the stack listens, as far as the settings of a worker tell: no crawl may reach them. */
import type { ServiceConfig } from '../config/config.ts';
import { metricsPorts, usualPorts } from '../config/settings/ports.ts';
import type { Service } from '../net/own-services.ts';

const usualPostgresPort = 5432;
const usualRedisPort = 6379;
const usualWebPort = (url: string): number => (url.startsWith('https:') ? 443 : 80);

/** A port that is not set is the usual one. */
export function servicesOf(config: ServiceConfig): Service[] {
  const temporal = placeOf(config.temporalAddress);
  const apiPort = config.apiPort ?? usualPorts.api;
  return [
    ofUrl(config.databaseUrl, usualPostgresPort),
    ...(config.redisUrl === null ? [] : [ofUrl(config.redisUrl, usualRedisPort)]),
    ...(config.s3Endpoint === null ? [] : [ofUrl(config.s3Endpoint, usualWebPort(config.s3Endpoint))]),
    ...(config.otlp === null ? [] : [ofUrl(config.otlp, usualWebPort(config.otlp))]),
    temporal,
    { host: temporal.host, port: config.temporalUiPort ?? usualPorts.temporalUi },
    ...[config.apiHost, ...config.apiNames].map((host) => ({ host, port: apiPort })),
    ...metricsPorts(config).map((port) => ({ host: '127.0.0.1', port })),
    ...config.offLimits.map(placeOf),
    // A database that is reached by a socket has no host; its usual port is still one of this machine.
  ].map(({ host, port }) => ({ host: host.replace(/^\[|\]$/g, '') || 'localhost', port }));
}

const placeOf = (place: string): Service => {
  const colon = place.lastIndexOf(':');
  return { host: place.slice(0, colon), port: Number(place.slice(colon + 1)) };
};

function ofUrl(text: string, usualPort: number): Service {
  const { hostname, port } = new URL(text);
  return { host: decodeURIComponent(hostname), port: port === '' ? usualPort : Number(port) };
}
