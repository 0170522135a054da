/** Regions: from where hosts are fetched, where workers stand in several places (domain/regions.ts, docs/scaling.md). */
import { decimal, folder, names, proxy, text } from '../values.ts';
import { nullable, setting } from './setting.ts';

export const regionSettings = {
  regions: nullable({
    name: 'ORBWEAVER_REGIONS',
    type: 'regions with neighbours',
    schema: text,
    fallback: null,
    defaultNote: 'none: any worker fetches from any host',
    description:
      'The regions from which hosts are fetched, each with its neighbours, nearest first: `eu:us,ap; us:eu; ap:us`. The first is the region of hosts of which nothing else tells. The same for all processes of an instance.',
  }),
  region: nullable({
    name: 'ORBWEAVER_REGION',
    type: 'list of regions',
    schema: names,
    fallback: null,
    defaultNote: 'all of them',
    description: 'The regions in which a worker process fetches; its fetch slots are shared out among them.',
  }),
  proxy: nullable({
    name: 'ORBWEAVER_PROXY',
    type: 'URL',
    schema: proxy,
    fallback: null,
    defaultNote: 'none: requests go directly',
    description:
      'The egress proxy by which all requests of a worker to hosts go, robots.txt too, `http:` (CONNECT) or `socks5:`, with its name and password: one for the workers of each region. A proxy of the crawl goes before it.',
    secret: true,
  }),
  regionPlaces: nullable({
    name: 'ORBWEAVER_REGION_PLACES',
    type: 'regions with places',
    schema: text,
    fallback: null,
    defaultNote: 'none',
    description:
      'What belongs to a region: ends of host names (`de`, `gov.uk`), which as countries hold for addresses too, and continents for addresses alone: `eu:de,fr,uk,gb,continent-eu; us:us,gov`. A setting of the host goes first, then the longest end of its name, then country and continent of its address.',
  }),
  geoipFile: nullable({
    name: 'ORBWEAVER_GEOIP_FILE',
    type: 'file',
    schema: folder,
    fallback: null,
    defaultNote: 'none: addresses tell nothing',
    description:
      'A database of countries or cities in the MaxMind format (.mmdb), by which addresses tell the region of hosts. A worker that fetches reads the file when it starts.',
  }),
  regionTakeOverSeconds: setting({
    name: 'ORBWEAVER_REGION_TAKE_OVER_SECONDS',
    type: 'seconds',
    schema: decimal(10, 86_400),
    fallback: '60',
    description:
      'After so long without a sign of life of a region’s workers, the nearest region that has some fetches from its hosts, until they are back.',
  }),
} as const;
