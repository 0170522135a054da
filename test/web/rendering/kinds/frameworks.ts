/** Pages of frameworks, by their own packages (apps/): built in the browser, or by the server and taken over. */
import { served } from '../apps/served.mjs';
import { document, titled, type Kind } from '../kind.ts';

const noscript = '<noscript>You need to enable JavaScript to run this app.</noscript>';
const script = (app: string): string => `<script type="module" src="/lib/${app}.js"></script>`;

const client = (name: string, app: string, mount: string): Kind => ({
  name,
  needs: true,
  page: (place) => document(titled(place) + script(app), noscript + mount),
});

const hydrated = (name: string, app: keyof typeof served, id: string): Kind => ({
  name,
  needs: false,
  page: async (place) =>
    document(
      titled(place) + script(app),
      `${noscript}<div id="${id}">${await served[app](place.story)}</div><script type="application/json" id="data">${JSON.stringify(place.story)}</script>`,
    ),
});

export const frameworkKinds: readonly Kind[] = [
  client('react', 'react', '<div id="root"></div>'),
  client('preact', 'preact', '<div id="root"></div>'),
  client('vue', 'vue', '<div id="app"></div>'),
  client('svelte', 'svelte', '<div id="svelte"></div>'),
  hydrated('react-hydrated', 'react', 'root'),
  hydrated('vue-hydrated', 'vue', 'app'),
];
