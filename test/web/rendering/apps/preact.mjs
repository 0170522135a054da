import { h, render } from 'preact';
import { load, tree } from './tree.mjs';

const root = document.getElementById('root');
render(h('p', null, 'Loading …'), root);
load().then((story) => render(tree(h, story), root));
