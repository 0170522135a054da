/** Pages for people: about the crawler, and the documentation of the API. */
import { z } from 'zod';
import { crawlerHtml, crawlerPagePolicy } from '../pages/crawler-page.ts';
import { byHand } from './answers.ts';
import { answered, page, route } from './route.ts';

/** Answers under any host name: the page is meant to be published, and tells no secrets. */
export const crawlerPageRoutes = [
  route({
    method: 'GET',
    path: '/crawler',
    access: 'public',
    id: 'crawlerPage',
    summary: 'About this crawler, for people who found it in their logs',
    answers: {
      200: byHand({ description: 'A web page.', content: { 'text/html': { schema: z.string() } } }),
    },
    handler: ({ settings }) => {
      const html = crawlerHtml(settings);
      return ({ response }) => {
        response
          .set('Content-Security-Policy', crawlerPagePolicy)
          .set('Cache-Control', 'public, max-age=3600')
          .type('html')
          .send(html);
        return answered;
      };
    },
  }),
];

export const docsRoutes = [
  page('/', 'public', () => (_request, response) => {
    response.redirect('/docs/');
  }),
  page('/openapi.json', 'public', ({ document }) => {
    // Once: to write it takes milliseconds, and anybody may ask for it.
    const text = JSON.stringify(document);
    return (_request, response) => {
      response.type('json').send(text);
    };
  }),
  // A page of several files; app.ts mounts it.
  page('/docs', 'public', null),
  page('/docs/*', 'public', null),
];
