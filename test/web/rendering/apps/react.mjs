/** Waits, then asks for a list with what keeps caches away, then for a detail. */
import { createElement, useEffect, useState } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { given, load, tree } from './tree.mjs';

function App({ story: first }) {
  const [story, setStory] = useState(first);
  useEffect(() => {
    if (first !== null) return;
    setTimeout(async () => {
      const { heading } = await load(`?_=${Date.now()}&r=${Math.random()}`);
      setStory(await load(`?detail=${heading.length}`));
    }, 1500);
  }, [first]);
  return story === null ? createElement('p', null, 'Loading …') : tree(createElement, story);
}

const root = document.getElementById('root');
const story = given();
if (story === null) createRoot(root).render(createElement(App, { story }));
else hydrateRoot(root, createElement(App, { story }));
