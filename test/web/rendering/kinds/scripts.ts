/** Pages whose scripts come in pieces, fail, wait or go elsewhere. */
import { built, document, js, titled, type Ask, type Kind, type Place, type Reply } from '../kind.ts';
import { storyText } from '../story.ts';

const module = (body: string) => `<script type="module">${body}</script>`;
const chunks = ({ file }: Ask, { at }: Place): Reply | null => {
  if (file === 'first.js')
    return js(`export const start = async () => (await import('${at}/second.js')).finish();`);
  return file === 'second.js' ? js('export const finish = () => load().then((story) => show(story));') : null;
};
const page = (name: string, head: (place: Place) => string, over: Partial<Kind> = {}): Kind => ({
  name,
  needs: true,
  page: (place) =>
    document(`${titled(place)}<script src="/lib/show.js"></script>`, `<div id="app"></div>${head(place)}`),
  ...over,
});

export const scriptKinds: readonly Kind[] = [
  page('lazy-chunks', ({ at }) => module(`import('${at}/first.js').then((first) => first.start());`), {
    file: chunks,
  }),
  page(
    'import-map',
    ({ at }) =>
      `<script type="importmap">{"imports":{"story":"${at}/second.js"}}</script>${module(`import { finish } from 'story'; finish();`)}`,
    { file: chunks },
  ),
  page(
    'module-preload',
    ({ at }) =>
      `<link rel="modulepreload" href="${at}/second.js"><script type="module" src="${at}/main.js"></script>`,
    {
      file: (ask, place) =>
        ask.file === 'main.js' ? js(`import { finish } from './second.js';\nfinish();`) : chunks(ask, place),
    },
  ),
  page(
    'script-tags',
    ({ at }) => `<script src="${at}/one.js" async></script><script src="${at}/two.js" defer></script>`,
    {
      file: ({ file }) => {
        if (file === 'one.js') return js(`window.wanted = load();`);
        return file === 'two.js' ? js(`(window.wanted ?? load()).then((story) => show(story));`) : null;
      },
    },
  ),
  page('document-write', ({ at }) => `<script src="${at}/write.js"></script>`, {
    file: ({ file }, { story }) =>
      file === 'write.js'
        ? js(`document.write('<main>' + storyHtml(${JSON.stringify(story)}) + '</main>');`)
        : null,
  }),
  built(
    'errors',
    `setTimeout(() => { throw new Error('a timer fails'); }, 10);
    Promise.reject(new Error('nobody cares'));
    console.error('this went wrong', { at });
    load().then((story) => { show(story); undefined.word; });`,
  ),
  page(
    'first-script-fails',
    ({ at }) => `<script>missing.start();</script><script src="${at}/two.js"></script>`,
    {
      file: ({ file }) => (file === 'two.js' ? js(`load().then((story) => show(story));`) : null),
    },
  ),
  page(
    'lost-script',
    ({ at }) => `<script src="${at}/gone.js"></script><script>load().then((story) => show(story));</script>`,
  ),
  built(
    'paragraph-by-paragraph',
    `load().then((story) => {
      let shown = 0;
      const timer = setInterval(() => {
        show({ ...story, paragraphs: story.paragraphs.slice(0, ++shown) });
        if (shown === story.paragraphs.length) clearInterval(timer);
      }, 400);
    });`,
  ),
  built(
    'idle',
    `requestAnimationFrame(() => requestIdleCallback(() => load().then((story) => {
      new MutationObserver(() => show(story)).observe(mount(), { attributes: true });
      mount().dataset.ready = 'yes';
    })));`,
  ),
  built(
    'storage',
    `if (localStorage.getItem('seen') === null) { localStorage.setItem('seen', 'yes'); sessionStorage.setItem('seen', 'now'); }
    load().then((story) => { if (sessionStorage.getItem('seen') === 'now') show(story); });`,
  ),
  built(
    'worker',
    ({ at }) => `const ask = () => load().then((story) => show(story));
    try {
      const worker = new Worker('${at}/worker.js');
      worker.onmessage = ({ data }) => show(data);
      worker.onerror = ask;
    } catch { ask(); }`,
    {
      file: ({ file }, { at }) =>
        file === 'worker.js'
          ? js(
              `fetch('${at}/story.json').then((answer) => answer.json()).then((story) => postMessage(story));`,
            )
          : null,
    },
  ),
  built(
    'service-worker',
    ({ at }) =>
      `navigator.serviceWorker?.register('${at}/service.js').catch(() => undefined);
      load().then((story) => show(story));`,
    {
      file: ({ file }) => (file === 'service.js' ? js(`addEventListener('fetch', () => undefined);`) : null),
    },
  ),
  {
    name: 'script-redirect',
    needs: true,
    page: ({ at }) => document('<title>One moment</title>', `<script>location.replace('${at}/a');</script>`),
    truth: ({ at }) => ({ text: '', links: [], navigation: `${at}/a` }),
  },
  built(
    'consent',
    `load().then((story) => {
      show(story);
      document.body.insertAdjacentHTML('beforeend', '<div class="consent"><p>May we use cookies?</p></div>');
    });`,
    { truth: ({ story }) => ({ text: `${storyText(story)} May we use cookies?` }) },
  ),
];
