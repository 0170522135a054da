/**
 * /docs: the OpenAPI document for people. The page works offline: it loads everything from this API, and its policy
 * allows no other source.
 */
import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { notFound } from '../way-in/problem.ts';

/** The files of the page; no other file of that folder is served. */
const parts = new Set([
  '/',
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui-init.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
]);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The page sets style attributes; text of crawled pages never gets here.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Mount at /docs. */
export function docsPage(document: object): Router {
  const router = Router();
  router.use((request, response, next) => {
    if (!parts.has(request.path)) {
      notFound(request, response, next);
      return;
    }
    response.set('Content-Security-Policy', policy);
    next();
  });
  router.use(
    swaggerUi.serve,
    swaggerUi.setup(document as swaggerUi.JsonObject, {
      customSiteTitle: 'Orbweaver API',
      // The online validator is off: the page would send the document to another site.
      swaggerOptions: { validatorUrl: null },
    }),
  );
  return router;
}
