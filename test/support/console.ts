/** The console in a browser, as somebody uses it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Page } from 'playwright-core';
import { signInLink } from '../../contracts/http/console.ts';
import { chromiumOptions } from './temporal-web.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface ConsoleUser {
  readonly page: Page;
  /** What went wrong in the page: errors, refused scripts and styles, requests to anybody but the API. */
  readonly faults: string[];
  /** Opens a screen by its path below /console, once it has loaded. */
  open(path: string): Promise<void>;
  /** Rules of axe that the screen breaks, with the places. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

/** A link that signs in once, made by the key. */
export async function signInLinkBy(apiUrl: string, key: string): Promise<string> {
  const made = await fetch(new URL('/v1/sign-in-links', apiUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  return signInLink.parse(await made.json()).url;
}

/** Signed in by the link. */
export async function openConsole(link: string): Promise<ConsoleUser> {
  const apiUrl = new URL(link).origin;
  const browser = await chromium.launch(chromiumOptions);
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 900 },
    colorScheme: 'light',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    // The browser itself says so of each answer that is a problem; the screens show what it means.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(apiUrl) && !url.startsWith('data:') && !url.startsWith('blob:'))
      faults.push(`asked ${url}`);
  });
  await page.goto(link);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const settled = async (): Promise<void> => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
  };
  return {
    page,
    faults,
    open: async (path) => {
      await page.goto(`${apiUrl}/console${path}`);
      await settled();
    },
    violations: async () => {
      // By the protocol of the browser: the policy of the page lets no such script in.
      const session = await page.context().newCDPSession(page);
      const run = async (expression: string): Promise<unknown> => {
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
          expression,
          awaitPromise: true,
          returnByValue: true,
        });
        if (exceptionDetails !== undefined)
          throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
      };
      await run(axe);
      const found = (await run(
        `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`,
      )) as string[];
      await session.detach();
      return found;
    },
    close: () => browser.close(),
  };
}
