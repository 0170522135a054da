/** The yardstick: a loop over Playwright, a page at a time in each lane, until its network is idle. */
import { chromium } from 'playwright-core';
import { browserProgram } from './program.ts';
import { runPasses } from './pass.ts';

const browser = await chromium.launch({ executablePath: browserProgram(), args: ['--no-sandbox'] });
const context = await browser.newContext();
await runPasses(async (url) => {
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  const dom = await page.content();
  await page.close();
  return { dom, rounds: 0 };
});
await browser.close();
