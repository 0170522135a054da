/** The HTTP API as an express application over its dependencies. */
import express, { type Express } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import swaggerUi from 'swagger-ui-express';
import { maxRequestBytes } from '../contracts/http.ts';
import { crawlRoutes } from './crawl-routes.ts';
import type { Dependencies } from './dependencies.ts';
import { guard } from './guard.ts';
import { healthRoutes } from './health-routes.ts';
import { openApiDocument } from './openapi.ts';
import { methodNotAllowed, notFound, problemHandler, sendProblem } from './problem.ts';
import { resultRoutes } from './result-routes.ts';

export function buildApp(dependencies: Dependencies): Express {
  const { log, settings } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  // Cursors and the like are plain strings; nothing here takes nested parameters.
  app.set('query parser', 'simple');

  app.use(
    pinoHttp({
      logger: log,
      serializers: { req: ({ method, url }: { method: string; url: string }) => ({ method, url }) },
      customLogLevel: (_request, response, error) =>
        error !== undefined || response.statusCode >= 500 ? 'error' : 'debug',
    }),
  );
  // Plain HTTP on loopback: neither upgrades nor HSTS.
  app.use(
    helmet({
      strictTransportSecurity: false,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  app.use(guard(settings.hostNames));
  app.use(healthRoutes(dependencies));
  app.use(
    rateLimit({
      windowMs: 10_000,
      limit: settings.requestsPer10s,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      handler: (_request, response) => {
        sendProblem(response, 429, 'Too many requests from this address; Retry-After says when to go on.');
      },
    }),
  );
  app.use(express.json({ limit: maxRequestBytes }));

  const document = openApiDocument(settings.version);
  app
    .route('/openapi.json')
    .get((_request, response) => {
      response.json(document);
    })
    .all(methodNotAllowed('GET'));
  app.use(
    '/docs',
    swaggerUi.serve,
    swaggerUi.setup(document as swaggerUi.JsonObject, { customSiteTitle: 'Orbweaver API' }),
  );
  app
    .route('/')
    .get((_request, response) => {
      response.redirect('/docs/');
    })
    .all(methodNotAllowed('GET'));
  app.use('/v1', crawlRoutes(dependencies), resultRoutes(dependencies));

  app.use(notFound);
  app.use(problemHandler(log));
  return app;
}
