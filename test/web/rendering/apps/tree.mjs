/** A story as elements, by the function with which React, Preact or Vue makes one. */
export const tree = (h, { heading, paragraphs, links }) =>
  h(
    'main',
    null,
    h('h1', null, heading),
    ...paragraphs.map((text) => h('p', { key: text }, text)),
    h('ul', null, ...links.map(({ href, label }) => h('li', { key: href }, h('a', { href }, label)))),
  );

export const load = async (query = '') => {
  const answer = await fetch(`${location.pathname}/story.json${query}`);
  return answer.json();
};

/** What a server that has rendered the page left for its scripts; null: it has not. */
export const given = () => {
  const data = document.getElementById('data');
  return data === null ? null : JSON.parse(data.textContent);
};
