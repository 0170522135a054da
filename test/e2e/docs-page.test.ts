/**
 * The docs page in a browser: all of it comes from the API, its policy is kept, and it shows the operations.
 *
 * @module-tag deep
 */
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../api/openapi/document.ts';
import { withServices, withServed } from '../integration/api/world.ts';
import { chromiumOptions, hasChromium } from '../support/temporal-web.ts';

describe.skipIf(!hasChromium())('the docs page (needs chromium)', () => {
  const services = withServices();
  const api = withServed(services.pool, { anonymous: true });
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch(chromiumOptions);
  });
  afterAll(async () => {
    await browser.close();
  });

  it('shows every operation, asks nobody else, and keeps to its policy', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const asked: string[] = [];
    const complaints: string[] = [];
    const failed: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('requestfailed', (request) => failed.push(request.url()));
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${String(response.status())} ${response.url()}`);
    });
    // Chromium tells of what its policy forbids here as well.
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    const response = await page.goto(`${api.url}/docs/`);
    const policy = response?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);

    const operations = Object.values(openApiDocument('0.0.0').paths ?? {}).flatMap((item) =>
      Object.values(item as Record<string, { readonly summary?: string }>).map(
        ({ summary }) => summary ?? '',
      ),
    );
    await page.locator('.opblock').last().waitFor();
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    const shown = await page.locator('.opblock-summary-description').allInnerTexts();
    expect(shown.sort()).toEqual(operations.sort());
    // With its schemas and examples.
    await page.locator('[id$="-createCrawl"] .opblock-summary-control').click();
    await page.locator('[id$="-createCrawl"] .opblock-body').waitFor();
    expect(await page.locator('[id$="-createCrawl"] .opblock-body').innerText()).toMatch(/seeds/);

    // A policy that is kept by chance would be none: this is what would be heard of.
    expect(complaints).toEqual([]);
    expect(failed).toEqual([]);
    expect([...new Set(asked.map((url) => new URL(url).origin).filter((origin) => origin !== 'null'))]).toEqual([api.url]); // prettier-ignore
    await page.evaluate(
      `document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.example/' }))`,
    );
    await expect.poll(() => complaints.join()).toMatch(/Content Security Policy/);
    await page.close();
  });
});
