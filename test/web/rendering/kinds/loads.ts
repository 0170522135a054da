/** Pages that ask for what they show: how they ask, and what becomes of it. */
import { built, js, json, type Ask, type Kind, type Place, type Reply } from '../kind.ts';

/** What pages say that cannot have what they ask for. */
export const failed = 'This part could not be loaded. Please try again later, or write to us.';
const orSay = `.catch(() => { mount().innerHTML = '<p>${failed}</p>'; })`;
const nothing = () => ({ text: failed, links: [] });

/** The story in parts, each of which names the next. */
const parts = ({ file }: Ask, { at, story }: Place): Reply | null => {
  switch (file) {
    case 'heading.json':
      return json({ heading: story.heading, next: `${at}/paragraphs.json` });
    case 'paragraphs.json':
      return json({ paragraphs: story.paragraphs, next: `${at}/links.json` });
    case 'links.json':
      return json({ links: story.links, next: null });
    default:
      return null;
  }
};

export const loadingKinds: readonly Kind[] = [
  built('fetch', `load().then((story) => show(story));`),
  built(
    'xhr',
    `const request = new XMLHttpRequest();
    request.open('GET', at + '/story.json');
    request.onload = () => show(JSON.parse(request.responseText));
    request.send();`,
  ),
  built(
    'synchronous-xhr',
    `const request = new XMLHttpRequest();
    request.open('GET', at + '/story.json', false);
    request.send();
    show(JSON.parse(request.responseText));`,
  ),
  built(
    'chain',
    `(async () => {
      let story = {};
      for (let next = at + '/heading.json'; next !== null; next = story.next) story = { ...story, ...(await load(next)) };
      show(story);
    })();`,
    { file: parts },
  ),
  built(
    'cache-buster',
    `setTimeout(async () => {
      const story = await load(at + '/story.json?_=' + Date.now() + '&r=' + Math.random());
      show(await load(at + '/story.json?id=' + crypto.randomUUID() + '&words=' + story.heading.length));
    }, 1500);`,
  ),
  built('slow-api', `load(at + '/slow.json').then((story) => show(story));`, {
    file: ({ file }, { story }) => (file === 'slow.json' ? json(story, { delayMs: 1_500 }) : null),
  }),
  built(
    'jsonp',
    `const name = 'got' + Math.floor(Math.random() * 1e9);
    window[name] = (story) => show(story);
    const script = document.createElement('script');
    script.src = at + '/story.jsonp?callback=' + name;
    document.head.append(script);`,
    {
      file: ({ file, query }, { story }) =>
        file === 'story.jsonp' ? js(`${query.get('callback') ?? ''}(${JSON.stringify(story)});`) : null,
    },
  ),
  built('redirected-api', `load(at + '/old.json').then((story) => show(story));`, {
    file: ({ file }, { at }) =>
      file === 'old.json' ? { status: 302, headers: { location: `${at}/story.json` } } : null,
  }),
  built('cors', ({ other }) => `load('${other}' + at + '/open.json').then((story) => show(story))${orSay};`, {
    file: ({ file }, { story }) =>
      file === 'open.json' ? json(story, { headers: { 'access-control-allow-origin': '*' } }) : null,
  }),
  built(
    'cors-without',
    ({ other }) => `load('${other}' + at + '/story.json').then((story) => show(story))${orSay};`,
    {
      truth: nothing,
    },
  ),
  built('cookie-api', `load(at + '/mine.json').then((story) => show(story))${orSay};`, {
    headers: { 'set-cookie': 'seen=yes; Path=/' },
    file: ({ file, cookie }, { story }) =>
      file !== 'mine.json' ? null : cookie.includes('seen=yes') ? json(story) : { status: 401 },
    gap: 'the answers of an archive are those for nobody: the cookie that the page was given is not sent',
  }),
  built(
    'graphql',
    `load(at + '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{story}"}' })
      .then((answer) => show(answer.data.story))${orSay};`,
    {
      file: ({ file, method }, { story }) =>
        file !== 'graphql' ? null : method === 'POST' ? json({ data: { story } }) : { status: 405 },
      gap: 'a POST is not sent',
    },
  ),
  built(
    'graphql-by-get',
    `load(at + '/graphql?query=' + encodeURIComponent('{story}')).then((answer) => show(answer.data.story));`,
    {
      file: ({ file, query }, { story }) =>
        file === 'graphql' && query.get('query') === '{story}' ? json({ data: { story } }) : null,
    },
  ),
  built(
    'missing-part',
    `load().then(async (story) => {
      show(story);
      try { show(await load(at + '/offers.json')); } catch { document.body.dataset.offers = 'none'; }
    });`,
  ),
  built(
    'head-first',
    `fetch(at + '/story.json', { method: 'HEAD' }).then(async (answer) => { if (answer.ok) show(await load()); });`,
  ),
  built(
    'socket-or-fetch',
    `const socket = new WebSocket(location.origin.replace('http', 'ws') + at + '/socket');
    socket.onerror = () => load().then((story) => show(story));`,
  ),
  built(
    'beacons',
    `navigator.sendBeacon(at + '/seen', 'yes');
    fetch(at + '/seen', { method: 'POST', body: 'yes' }).catch(() => undefined);
    new Image().src = at + '/pixel.png';
    load().then((story) => show(story));`,
    { file: ({ file }) => (file === 'seen' ? { status: 204 } : null) },
  ),
  built(
    'style-sheet',
    `const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: at + '/style.css' });
    link.onload = () => load().then((story) => show(story));
    document.head.append(link);`,
    {
      file: ({ file }) => (file === 'style.css' ? { type: 'text/css', body: 'body { color: #222 }' } : null),
    },
  ),
  built(
    'languages',
    `load(at + '/' + navigator.language.slice(0, 2) + '.json').then((story) => show(story));`,
    {
      file: ({ file }, { story }) => (file === 'en.json' ? json(story) : null),
    },
  ),
];
