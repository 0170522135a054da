/** Pages that say what they have to say without a browser. */
import { document, titled, written, type Kind } from '../kind.ts';
import { storyHtml, storyText } from '../story.ts';

const counter = `<script>(function(w,d){w.hits=(w.hits||0)+1;var s=d.createElement('script');s.async=1})(window,document)</script>`;
const library = '<script src="/lib/show.js"></script>';

export const plainKinds: readonly Kind[] = [
  { name: 'written', needs: false, page: (place) => written(place, library) },
  {
    name: 'enhanced',
    needs: false,
    page: (place) =>
      written(place, library, `<script>document.body.className = 'js'; show.ready = true;</script>`),
  },
  {
    name: 'broken-script',
    needs: false,
    page: (place) =>
      written(place, library, '<script>missing.call(); document.body.innerHTML = "";</script>'),
  },
  {
    name: 'written-consent',
    needs: false,
    page: (place) =>
      written(
        place,
        library,
        `<script>document.body.insertAdjacentHTML('beforeend', '<div class="cookie-wall"><p>We use cookies here.</p></div>');</script>`,
      ),
    truth: ({ story }) => ({ text: `${storyText(story)} We use cookies here.` }),
  },
  {
    name: 'noscript-comments',
    needs: false,
    page: (place) => written(place, library, '<noscript>Enable JavaScript to read the comments.</noscript>'),
  },
  {
    // Its data have the text; a browser would find the links as well.
    name: 'state-blob',
    needs: false,
    page: (place) =>
      document(
        titled(place) + library,
        `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: place.story } })}</script>` +
          `<script>show(JSON.parse(document.getElementById('__NEXT_DATA__').textContent).props.pageProps, document.getElementById('__next'));</script>`,
      ),
  },
  {
    name: 'json-ld-article',
    needs: false,
    page: (place) =>
      document(
        `${titled(place)}${library}<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'Article', articleBody: place.story.paragraphs.join('\n') })}</script>`,
        `<div id="app"></div><script>load().then(show);</script>`,
      ),
    truth: () => ({ schema: 'Article' }),
  },
  {
    name: 'login',
    needs: false,
    page: (place) =>
      document(
        `<title>Sign in</title>${library}`,
        `<div id="root"><form action="${place.at}/session" method="post"><h1>Sign in</h1><input name="user"><input type="password" name="word"></form></div>`,
      ),
    truth: () => ({ text: 'Sign in', links: [], title: 'Sign in' }),
  },
  {
    name: 'gallery',
    needs: false,
    page: (place) =>
      document(titled(place) + library, '<img src="/lib/1.png" alt=""><img src="/lib/2.png" alt="">'),
    truth: () => ({ text: '', links: [] }),
  },
  {
    name: 'no-such-thing',
    needs: false,
    page: (place) =>
      document(
        titled(place) + library,
        '<div id="root"><h1>Oh no</h1><p>This thing is not to be found.</p></div>',
      ),
    truth: () => ({ text: 'Oh no This thing is not to be found.', links: [] }),
  },
  {
    name: 'counted',
    needs: false,
    page: (place) => document(titled(place), `<p>Under construction.</p>${counter}`),
    truth: () => ({ text: 'Under construction.', links: [] }),
  },
  {
    // The rule takes it for a shell: few words beside a script of another file.
    name: 'short-with-library',
    needs: false,
    page: (place) => document(titled(place) + library, '<p>Under construction. Come back soon.</p>'),
    truth: () => ({ text: 'Under construction. Come back soon.', links: [] }),
  },
  {
    name: 'index',
    needs: false,
    page: (place) =>
      document(
        titled(place) + library,
        `<ul>${place.story.links.map(({ href, label }) => `<li><a href="${href}">${label}</a>`).join('')}</ul>`,
      ),
    truth: ({ story }) => ({ text: story.links.map(({ label }) => label).join(' ') }),
  },
  {
    name: 'late-comment',
    needs: false,
    page: (place) =>
      written(
        place,
        library,
        `<div id="app"></div><script>setTimeout(() => { mount().innerHTML = '<p>One reader likes this.</p>'; }, 700);</script>`,
      ),
    truth: ({ story }) => ({ text: `${storyText(story)} One reader likes this.` }),
  },
  {
    name: 'inner-html',
    needs: false,
    page: (place) =>
      document(
        titled(place),
        `<div id="root">${storyHtml(place.story)}</div><script src="/lib/show.js" defer></script>`,
      ),
  },
];
