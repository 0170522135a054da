/** The console: the frame around the screens, and signing in. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, answerTo, isAway, session } from './api/client.ts';
import type { SignedIn } from '../contracts/http/console.ts';
import { Action } from './parts/action.ts';
import { CrawlFrame, ofCrawl } from './parts/crawl-frame.ts';
import { html } from './parts/html.ts';
import { base, followLinks, parameters, path } from './router.ts';
import { screens, type Screen } from './screens/all.ts';
import { SignIn } from './screens/sign-in.ts';

function Frame() {
  useEffect(() => {
    void begin();
  }, []);
  const who = session.value;
  if (who === undefined)
    return html`<p class="loading">
      ${isAway.value ? 'The API does not answer. This page tries again by itself …' : 'Loading the console …'}
    </p>`;
  if (who === null) return html`<${SignIn} />`;
  const found = screenAt(path.value);
  const title = found?.screen.title ?? 'No such screen';
  document.title = `${title} – Orbweaver`;
  return html`<div class="frame" onClick=${followLinks}>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="brand" href=${`${base}/`}>Orbweaver</a>
      <nav aria-label="Screens">
        ${menuFor(who).map(
          ({ at, title: name }) =>
            html`<a href=${base + at} aria-current=${found?.screen.at === at ? 'page' : undefined}
              >${name}</a
            >`,
        )}
      </nav>
      <span class="who" title=${who.actor}
        >${short(who.actor)} · ${who.role} <${Action} label="Sign out" run=${signOut}
      /></span>
    </header>
    ${isAway.value && html`<p class="away" role="alert">The API does not answer. What you see may be old; this page tries again by itself.</p>`}
    <main id="main">
      ${
        found === null
          ? html`<h1 tabindex="-1">No such screen</h1>
              <p><a href=${`${base}/`}>To the overview</a></p>`
          : framed(found)
      }
    </main>
  </div>`;
}

/** The first part of an id tells keys apart. */
const short = (actor: string): string => actor.replace(/(?<=[\da-f]{8})-[\da-f-]{27}$/, '');

interface Found {
  readonly screen: Screen;
  readonly given: Readonly<Record<string, string>>;
}

const tabs = screens.flatMap(({ at, tab }) => (tab === undefined ? [] : [{ at, name: tab }]));

function framed({ screen: { at, view }, given }: Found) {
  const shown = html`<${view} key=${path.value} ...${given} />`;
  if (!at.startsWith(ofCrawl)) return shown;
  return html`<${CrawlFrame} key=${given['crawl']} crawl=${given['crawl']} tabs=${tabs} at=${at}
    >${shown}<//
  >`;
}

function screenAt(at: string): Found | null {
  for (const screen of screens) {
    const given = parameters(screen.at, at);
    if (given !== null) return { screen, given };
  }
  return null;
}

/** What the caller may use at all; the API judges each request. */
const menuFor = ({ instance, role, scopes }: SignedIn): Screen[] =>
  screens.filter(
    ({ inMenu, needs }) =>
      inMenu === true &&
      (needs === undefined ||
        ((needs.instance !== true || instance) &&
          (needs.admin !== true || role === 'admin') &&
          (scopes === null || scopes.includes(needs.scope)))),
  );

/** A link signs in once: its code is in the fragment, which is taken out of the address bar at once. */
async function begin(): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  for (;;) {
    try {
      session.value =
        code === undefined
          ? await ask<SignedIn>('/v1/console-session')
          : await ask<SignedIn>('/v1/console-session', { method: 'POST', body: { code } });
      return;
    } catch {
      if (!isAway.value) {
        session.value = null;
        return;
      }
    }
    await new Promise((again) => setTimeout(again, 2_000));
  }
}

async function signOut(): Promise<undefined> {
  await answerTo('/v1/console-session', { method: 'DELETE' });
  session.value = null;
}

const root = document.querySelector('#app');
if (root !== null) {
  root.textContent = '';
  render(html`<${Frame} />`, root);
}
