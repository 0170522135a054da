/**
 * Crawlee's CheerioCrawler over the same web, its request queue on disk. As fast as its settings let it be: forty
 * requests at once from the start, no sessions, no robots.txt, no pages kept.
 * `node crawl.mjs SEEDS_FILE STORAGE_FOLDER` prints one JSON line.
 */
import { readFileSync } from 'node:fs';
import { CheerioCrawler, Configuration, log, LogLevel } from '@crawlee/cheerio';

const [seedsFile, storageFolder] = process.argv.slice(2);
const seeds = readFileSync(seedsFile, 'utf8').split('\n').filter(Boolean);
log.setLevel(LogLevel.ERROR);

const configuration = new Configuration({
  persistStorage: true,
  purgeOnStart: true,
  availableMemoryRatio: 0.9,
  storageClientOptions: { localDataDirectory: storageFolder, persistStorage: true },
});

let pages = 0;
let bytes = 0;
const crawler = new CheerioCrawler(
  {
    minConcurrency: 80,
    maxConcurrency: 80,
    autoscaledPoolOptions: { desiredConcurrency: 80, maybeRunIntervalSecs: 0.05 },
    useSessionPool: false,
    respectRobotsTxtFile: false,
    maxRequestRetries: 1,
    requestHandler: async ({ body, enqueueLinks }) => {
      pages++;
      bytes += body.length;
      await enqueueLinks({ strategy: 'all' });
    },
  },
  configuration,
);
const start = performance.now();
await crawler.run(seeds);
const seconds = (performance.now() - start) / 1_000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(
  JSON.stringify({ pages, seconds, bytes, cpuSeconds, peakMegabytes: maxRSS / 1024 }) + '\n',
);
