/** Pages as a server renders them, for scripts that take them over. */
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createSSRApp } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';
import { tree } from './tree.mjs';
import { view } from './vue-view.mjs';

export const served = {
  react: async (story) => renderToString(tree(createElement, story)),
  vue: (story) => renderVue(createSSRApp(view, { story })),
};
