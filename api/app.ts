/** The HTTP API as an express application over its dependencies. */
import express, { type Express } from 'express';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import { defaultCrawlRoutes } from './compat/default-crawl-routes.ts';
import { compatErrors } from './compat/errors.ts';
import { encodeRawUrl } from './compat/raw-url.ts';
import { jobRoutes } from './compat/job-routes.ts';
import { auditLog } from './way-in/audit-log.ts';
import { auditRoutes } from './routes/audit-log.ts';
import { crawlRoutes } from './routes/crawls.ts';
import { editRoutes } from './routes/versions.ts';
import { crawlerPage } from './pages/crawler-page.ts';
import type { Dependencies } from './dependencies.ts';
import { docsPage } from './pages/docs-page.ts';
import { deadLetterRoutes } from './routes/dead-letters.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/export.ts';
import { frontierRoutes } from './routes/frontier.ts';
import { gate } from './way-in/gate.ts';
import { guard } from './way-in/guard.ts';
import { healthRoutes } from './routes/health.ts';
import { hostActionRoutes } from './routes/host-actions.ts';
import { hostRoutes } from './routes/hosts.ts';
import { idempotency } from './way-in/idempotency.ts';
import { jsonBody } from './way-in/json-body.ts';
import { keyRoutes } from './routes/keys.ts';
import { openApiDocument } from './openapi/document.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { optOutRoutes } from './routes/opt-outs.ts';
import { createKeyring } from './way-in/keyring.ts';
import { methodNotAllowed, notFound, problemHandler } from './way-in/problem.ts';
import { limitByAddress, limitByTenant, limitMadeUpKeys } from './way-in/rate-limits.ts';
import { seedRoutes } from './routes/seeds.ts';
import { outlookRoutes } from './routes/outlook.ts';
import { reportRoutes } from './routes/report.ts';
import { requestId, versionHeader } from './way-in/request-ids.ts';
import { resultRoutes } from './routes/results.ts';
import { tenantRoutes } from './routes/tenants.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const anyKey = /owk_[\w-]+/g;

export function buildApp(dependencies: Dependencies): Express {
  const { pool, log, settings, sharedCounts } = dependencies;
  const keyring = createKeyring(pool, dependencies.verifyToken);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  // Cursors and the like are plain strings; nothing here takes nested parameters.
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.trustedProxies);

  app.use(
    pinoHttp({
      logger: log,
      genReqId: requestId,
      // No headers: they hold keys. Nor a key that somebody put into a URL.
      serializers: {
        req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
          id,
          method,
          url: url.replace(anyKey, '[key]'),
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      },
      // Refusals are looked for by the request id that they carried.
      customLogLevel: (_request, { statusCode }, error) =>
        error !== undefined || statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug',
    }),
  );
  app.use(versionHeader(settings.version));
  // Plain HTTP on loopback: neither upgrades nor HSTS.
  app.use(
    helmet({
      strictTransportSecurity: false,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  app.use(crawlerPage(settings));
  app.use(encodeRawUrl);
  for (const [paths, render] of compatErrors()) app.use(paths, render);
  app.use(guard(settings.hostNames));
  app.use(healthRoutes(dependencies));
  app.use(limitByAddress(settings.requestsPer10s, sharedCounts));
  app.use(limitMadeUpKeys(settings.requestsPer10s, keyring, sharedCounts));
  app.use(gate(pool, keyring, limitByTenant(sharedCounts), auditLog(pool, log)));
  app.use(jsonBody());
  app.use(idempotency(pool, log));

  const document = openApiDocument(settings.version);
  app
    .route('/openapi.json')
    .get((_request, response) => {
      response.json(document);
    })
    .all(methodNotAllowed('GET'));
  app.use('/docs', docsPage(document));
  app
    .route('/')
    .get((_request, response) => {
      response.redirect('/docs/');
    })
    .all(methodNotAllowed('GET'));
  app.use(
    '/v1',
    crawlRoutes(dependencies),
    resultRoutes(dependencies),
    outlookRoutes(dependencies),
    reportRoutes(dependencies),
    exportRoutes(dependencies),
    eventRoutes(dependencies),
    seedRoutes(dependencies),
    optOutRoutes(dependencies),
    hostActionRoutes(dependencies),
    hostRoutes(dependencies),
    editRoutes(dependencies),
    deadLetterRoutes(dependencies),
    keyRoutes(dependencies, keyring),
    tenantRoutes(dependencies, keyring),
    webhookRoutes(dependencies),
    auditRoutes(dependencies),
  );

  app.use(jobRoutes(dependencies), defaultCrawlRoutes(dependencies), metricsRoutes(dependencies));

  app.use(frontierRoutes(dependencies));

  app.use(notFound);
  app.use(problemHandler(log));
  return app;
}
