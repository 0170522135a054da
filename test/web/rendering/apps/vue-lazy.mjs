import { h, shallowRef } from 'vue';
import { load } from './tree.mjs';
import { view } from './vue-view.mjs';

export default {
  setup() {
    const story = shallowRef(null);
    load().then((loaded) => (story.value = loaded));
    return () => (story.value === null ? h('p', 'Loading …') : h(view, { story: story.value }));
  },
};
