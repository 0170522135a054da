/** /docs: the OpenAPI document for people. It works offline: all of it comes from here, and its policy allows no other. */
import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';
import { notFound } from '../way-in/problem.ts';

/** What the page is made of, and nothing else of the folder it lies in. */
const parts = new Set([
  '/',
  ...['/swagger-ui.css', '/swagger-ui-bundle.js', '/swagger-ui-standalone-preset.js'],
  ...['/swagger-ui-init.js', '/favicon-16x16.png', '/favicon-32x32.png'],
]);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // It sets style attributes; text of crawled pages never gets here.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** To be mounted at /docs. */
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
      // It would have another site judge the document.
      swaggerOptions: { validatorUrl: null },
    }),
  );
  return router;
}
