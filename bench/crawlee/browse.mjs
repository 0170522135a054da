/**
 * Crawlee's PlaywrightCrawler over pages that need a browser, each until its network is idle. Takes and tells what
 * bench/render/pass.ts does. `node browse.mjs FILE FOLDER LANES PROGRAM`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Configuration, log, LogLevel, PlaywrightCrawler } from '@crawlee/playwright';

const [file, folder, lanes, program] = process.argv.slice(2);
const { first, others } = JSON.parse(readFileSync(file, 'utf8'));
log.setLevel(LogLevel.ERROR);

const configuration = new Configuration({
  persistStorage: false,
  availableMemoryRatio: 0.9,
  storageClientOptions: { persistStorage: false },
});
const crawler = new PlaywrightCrawler(
  {
    minConcurrency: Number(lanes),
    maxConcurrency: Number(lanes),
    autoscaledPoolOptions: { desiredConcurrency: Number(lanes), maybeRunIntervalSecs: 0.05 },
    useSessionPool: false,
    maxRequestRetries: 1,
    launchContext: { launchOptions: { executablePath: program, args: ['--no-sandbox'] } },
    browserPoolOptions: { useFingerprints: false },
    requestHandler: async ({ page, request }) => {
      await page.waitForLoadState('networkidle');
      writeFileSync(path.join(folder, encodeURIComponent(request.url)), await page.content());
    },
  },
  configuration,
);
for (const urls of [first, others]) {
  const start = performance.now();
  await crawler.run(urls);
  process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - start) / 1_000, rounds: 0 })}\n`);
}
