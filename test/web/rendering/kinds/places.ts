/** Pages that are built elsewhere than in one empty element: in trees and frames of their own, below, bit by bit. */
import { built, document, json, titled, written, type Kind, type Reply } from '../kind.ts';
import { storyText, type Story } from '../story.ts';

const library = '<script src="/lib/show.js"></script>';

/** Parts of the story for whoever scrolls. */
const batch = (file: string, story: Story): Reply | null => {
  const nth = /^part-(\d)\.json$/.exec(file)?.[1];
  if (nth === undefined) return null;
  const at = Number(nth);
  return json({
    html: `<p>${story.paragraphs[at] ?? ''}</p><p><a href="${story.links[at]?.href ?? ''}">${story.links[at]?.label ?? ''}</a></p>`,
    last: at === 2,
  });
};
const inBatches = ({ heading, paragraphs, links }: Story): string =>
  [heading, ...paragraphs.map((text, at) => `${text} ${links[at]?.label ?? ''}`)].join(' ');

/** Loads the next part when the end of the page comes into view. */
const scrolling = (from: number): string => `
  let part = ${String(from)};
  const end = document.getElementById('end');
  new IntersectionObserver(async ([entry], observer) => {
    if (!entry.isIntersecting) return;
    observer.unobserve(end);
    const { html, last } = await load(at + '/part-' + part++ + '.json');
    end.insertAdjacentHTML('beforebegin', '<section style="min-height: 700px">' + html + '</section>');
    if (!last) observer.observe(end);
  }).observe(end);`;

export const placeKinds: readonly Kind[] = [
  built(
    'infinite-scroll',
    ({ story }) =>
      `document.getElementById('app').innerHTML = '<h1>${story.heading}</h1><div id="end"></div>';${scrolling(0)}`,
    {
      file: ({ file }, { story }) => batch(file, story),
      truth: ({ story }) => ({ text: inBatches(story) }),
    },
  ),
  {
    // The rule misses it: the first part is there, and nothing says that there are more.
    name: 'infinite-scroll-begun',
    needs: true,
    page: ({ story, ...place }) =>
      document(
        titled({ story, ...place }) + library,
        `<h1>${story.heading}</h1><p>${story.paragraphs[0] ?? ''}</p><p><a href="${story.links[0]?.href ?? ''}">${story.links[0]?.label ?? ''}</a></p><div id="end"></div><script>${scrolling(1)}</script>`,
      ),
    file: ({ file }, { story }) => batch(file, story),
    truth: ({ story }) => ({ text: inBatches(story) }),
  },
  {
    name: 'sections-in-view',
    needs: true,
    page: ({ story, ...place }) =>
      document(
        titled({ story, ...place }) + library,
        `<h1>${story.heading}</h1>${[0, 1, 2].map((nth) => `<section id="part-${String(nth)}" style="min-height: 900px"></section>`).join('')}<script>
        const observer = new IntersectionObserver((entries) => entries.forEach(async ({ target, isIntersecting }) => {
          if (!isIntersecting) return;
          observer.unobserve(target);
          target.innerHTML = (await load(at + '/' + target.id + '.json')).html;
        }));
        for (const section of document.querySelectorAll('section')) observer.observe(section);</script>`,
      ),
    file: ({ file }, { story }) => batch(file, story),
    truth: ({ story }) => ({ text: inBatches(story) }),
  },
  built(
    'frame',
    `mount().append(Object.assign(document.createElement('iframe'), { src: at + '/frame.html' }));`,
    {
      file: ({ file }, place) => (file === 'frame.html' ? { type: 'text/html', body: written(place) } : null),
      truth: ({ at, story }) => ({ links: [`${at}/frame.html`, ...story.links.map(({ href }) => href)] }),
    },
  ),
  {
    name: 'frame-with-scripts',
    needs: true,
    page: ({ at, ...place }) =>
      document(
        titled({ at, ...place }) + library,
        `<div id="root"><iframe src="${at}/frame.html"></iframe></div>`,
      ),
    file: ({ file }, { at }) =>
      file === 'frame.html'
        ? {
            type: 'text/html',
            body: document(
              library,
              `<div id="app"></div><script>load('${at}/story.json').then((story) => show(story));</script>`,
            ),
          }
        : null,
    truth: ({ at, story }) => ({ links: [`${at}/frame.html`, ...story.links.map(({ href }) => href)] }),
  },
  built(
    'shadow-tree',
    `customElements.define('a-story', class extends HTMLElement {
      async connectedCallback() { show(await load(), this.attachShadow({ mode: 'open' })); }
    });`,
    { mount: '<a-story></a-story>' },
  ),
  built(
    'closed-shadow-tree',
    `customElements.define('a-story', class extends HTMLElement {
      async connectedCallback() { show(await load(), this.attachShadow({ mode: 'closed' })); }
    });`,
    { mount: '<a-story></a-story>' },
  ),
  built(
    'slots',
    `customElements.define('a-frame', class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<p>Read this.</p><slot></slot>'; }
    });
    load().then((story) => { mount().innerHTML = '<a-frame>' + storyHtml(story) + '</a-frame>'; });`,
    { truth: ({ story }) => ({ text: `Read this. ${storyText(story)}` }) },
  ),
  built(
    'own-element',
    `customElements.define('my-shop', class extends HTMLElement {
      async connectedCallback() { show(await load(), this); }
    });`,
    { mount: '<my-shop></my-shop>' },
  ),
  built(
    'own-template',
    `load().then((story) => {
      const copy = document.getElementById('page').content.cloneNode(true);
      copy.querySelector('main').innerHTML = storyHtml(story);
      mount().append(copy);
    });`,
    { mount: '<template id="page"><main></main></template><div id="app"></div>' },
  ),
  {
    name: 'base-href',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<div id="app"></div><script>load().then((story) => show({ ...story, links: story.links.map(({ href, label }) => ({ label, href: '../' + href.slice(at.length + 1) })) }));</script>`,
        `<base href="${place.at}/below/">`,
      ),
  },
  built(
    'hash-routes',
    `const routes = { '': (story) => show(story), '#/about': () => { mount().innerHTML = '<p>About us</p>'; } };
    const go = async () => (routes[location.hash] ?? routes[''])(await load());
    addEventListener('hashchange', go);
    go();`,
  ),
  built(
    'pushed-route',
    `history.pushState({}, '', at + '/view');
    load(at + '/story.json').then((story) => {
      show(story);
      for (const link of document.links) link.onclick = (event) => { event.preventDefault(); history.pushState({}, '', link.href); };
    });`,
  ),
  {
    name: 'heading-first',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<div id="app"><h1>${place.story.heading}</h1><p>Loading …</p></div><script>load().then((story) => show(story));</script>`,
      ),
  },
  {
    name: 'navigation-first',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<nav>${place.story.links.map(({ href }) => `<a href="${href}">${href}</a> `).join('')}</nav><main id="app"></main><script>load().then((story) => show(story));</script>`,
      ),
  },
  {
    name: 'wants-scripts',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<noscript>You need to enable JavaScript to run this app.</noscript><div class="start" id="start"></div><script>load().then((story) => show(story, document.getElementById('start')));</script>`,
      ),
  },
  {
    name: 'wants-scripts-with-notice',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<noscript>Please enable JavaScript.</noscript><div id="start"></div><p>We and our partners use cookies to keep this site safe, to remember what you like, and to count how often each of its pages is read by people like you.</p><script>load().then((story) => show(story, document.getElementById('start')));</script>`,
      ),
    truth: ({ story }) => ({
      text: `${storyText(story)} We and our partners use cookies to keep this site safe, to remember what you like, and to count how often each of its pages is read by people like you.`,
    }),
  },
  {
    // The rule misses it: the beginning is a page of its own.
    name: 'teaser',
    needs: true,
    page: (place) =>
      document(
        titled(place) + library,
        `<main id="app"><h1>${place.story.heading}</h1><p>${place.story.paragraphs[0] ?? ''}</p></main><script>load().then((story) => show(story));</script>`,
      ),
  },
  built('title', `load().then((story) => { document.title = 'All about ' + story.heading; show(story); });`, {
    truth: ({ story }) => ({ title: `All about ${story.heading}` }),
  }),
  built(
    'canonical',
    `document.head.append(Object.assign(document.createElement('link'), { rel: 'canonical', href: at + '/a' }));
    load().then((story) => show(story));`,
    { truth: ({ at }) => ({ canonical: `${at}/a` }) },
  ),
  built(
    'json-ld',
    `load().then((story) => {
      const data = { '@context': 'https://schema.org', '@type': 'Product', name: story.heading };
      document.head.append(Object.assign(document.createElement('script'), { type: 'application/ld+json', text: JSON.stringify(data) }));
      show(story);
    });`,
    { truth: () => ({ schema: 'Product' }) },
  ),
];
