/** Firefox by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/): as little of it as a look at a page needs. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './until.ts';

const executable = '/usr/bin/firefox-esr';
export const hasFirefox = (): boolean => existsSync(executable);

export interface Firefox {
  /** Errors of the page, and refused scripts and styles. */
  readonly faults: string[];
  /** Waits until an element has the text, whatever the white space in it. */
  shows(selector: string, text: string): Promise<void>;
  /** Clicks where the element with the text is, as a mouse does. */
  click(selector: string, text: string): Promise<void>;
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Its own services are asked nothing: all but loopback goes by a proxy that is not there. */
const preferences = ['type", 1', 'http", "127.0.0.1"', 'http_port", 9', 'ssl", "127.0.0.1"', 'ssl_port", 9']
  .map((each) => `user_pref("network.proxy.${each});`)
  .join('\n');

interface Message {
  readonly id?: number;
  readonly type: string;
  readonly result?: unknown;
  readonly message?: string;
  readonly params?: { readonly level: string; readonly text: string | null };
}

export async function openFirefox(url: string): Promise<Firefox> {
  const profile = mkdtempSync(path.join(tmpdir(), 'orbweaver-firefox-'));
  writeFileSync(path.join(profile, 'user.js'), preferences);
  const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const firefox = spawn(executable, options, { env: { ...process.env, HOME: profile } });
  const gone = new Promise((resolve) => firefox.once('close', resolve));
  let said = '';
  firefox.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  firefox.stdout.resume();
  const place = (): string | undefined => /^WebDriver BiDi listening on (ws:\S+)/m.exec(said)?.[1];
  await until('Firefox listens', place).catch((error: unknown) => {
    throw new Error(said, { cause: error });
  });

  const socket = new WebSocket(`${place() ?? ''}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const faults: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message, params } = JSON.parse(String(data)) as Message;
    if (type === 'event') {
      // The browser itself says so of each answer that is a problem; the screens show what it means.
      if (params?.level === 'error') faults.push(params.text ?? '');
    } else if (type === 'success') waiting.get(id ?? -1)?.resolve(result);
    else waiting.get(id ?? -1)?.reject(new Error(message));
  });
  const send = async <T>(method: string, params: object): Promise<T> => {
    const id = waiting.size;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return (await answer.promise) as T;
  };
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send<{ readonly contexts: readonly { readonly context: string }[] }>(
    'browsingContext.getTree',
    {},
  );
  const context = contexts[0]?.context;
  await send('browsingContext.setViewport', { context, viewport: { width: 1_280, height: 900 } });
  await send('browsingContext.navigate', { context, url, wait: 'complete' });

  /** Where the middle of the element is; null: it is not there. */
  const find = async (selector: string, text: string): Promise<{ x: number; y: number } | null> => {
    const expression = `(() => {
      const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find(
        (each) => each.innerText.replace(/\\s+/g, '') === ${JSON.stringify(text.replaceAll(/\s+/g, ''))});
      found?.scrollIntoView({ block: 'center', behavior: 'instant' });
      // The middle of a link that goes over two lines is beside it.
      const { x, y, width, height } = found?.getClientRects()[0] ?? {};
      return JSON.stringify(found ? { x: Math.round(x + width / 2), y: Math.round(y + height / 2) } : null);
    })()`;
    const { result } = await send<{ readonly result?: { readonly value: string } }>('script.evaluate', {
      ...{ expression, target: { context }, awaitPromise: false },
    });
    return JSON.parse(result?.value ?? 'null') as { x: number; y: number } | null;
  };
  const shows = (selector: string, text: string): Promise<void> =>
    until(`${selector} shows ${text}`, async () => (await find(selector, text)) !== null);
  return {
    faults,
    shows,
    click: async (selector, text) => {
      await shows(selector, text);
      const at = await find(selector, text);
      const button = { button: 0 };
      const actions = [
        { type: 'pointerMove', ...at },
        { type: 'pointerDown', ...button },
        { type: 'pointerUp', ...button },
      ];
      await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
    },
    screenshot: async () => {
      const { data } = await send<{ readonly data: string }>('browsingContext.captureScreenshot', {
        context,
      });
      return Buffer.from(data, 'base64');
    },
    close: async () => {
      socket.close();
      firefox.kill();
      await gone;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
