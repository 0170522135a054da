/** Its view is a chunk of its own, as routes are. */
import { createApp, createSSRApp, defineAsyncComponent, h } from 'vue';
import { given } from './tree.mjs';
import { view } from './vue-view.mjs';

const story = given();
const lazy = defineAsyncComponent(() => import('./vue-lazy.mjs'));
if (story === null) createApp({ render: () => h(lazy) }).mount('#app');
else createSSRApp(view, { story }).mount('#app');
