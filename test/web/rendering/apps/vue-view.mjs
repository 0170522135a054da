import { h } from 'vue';
import { tree } from './tree.mjs';

export const view = { props: ['story'], render: ({ story }) => tree(h, story) };
