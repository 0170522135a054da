/** The HTTP API as an express application over its dependencies. */
import express, { type Express } from 'express';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import { defaultCrawlRoutes } from './compat/default-crawl-routes.ts';
import { compatErrors } from './compat/errors.ts';
import { encodeRawUrl } from './compat/raw-url.ts';
import { jobRoutes } from './compat/job-routes.ts';
import { auditLog } from './audit-log.ts';
import { auditRoutes } from './audit-routes.ts';
import { crawlRoutes } from './crawl-routes.ts';
import { editRoutes } from './edit-routes.ts';
import { crawlerPage } from './crawler-page.ts';
import type { Dependencies } from './dependencies.ts';
import { docsPage } from './docs-page.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { frontierRoutes } from './frontier-routes.ts';
import { gate } from './gate.ts';
import { guard } from './guard.ts';
import { healthRoutes } from './health-routes.ts';
import { hostActionRoutes } from './host-action-routes.ts';
import { hostRoutes } from './host-routes.ts';
import { idempotency } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { keyRoutes } from './key-routes.ts';
import { openApiDocument } from './openapi.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { optOutRoutes } from './opt-out-routes.ts';
import { createKeyring } from './keyring.ts';
import { methodNotAllowed, notFound, problemHandler } from './problem.ts';
import { limitByAddress, limitByTenant, limitMadeUpKeys } from './rate-limits.ts';
import { seedRoutes } from './seed-routes.ts';
import { outlookRoutes } from './outlook-routes.ts';
import { reportRoutes } from './report-routes.ts';
import { requestId, versionHeader } from './request-ids.ts';
import { resultRoutes } from './result-routes.ts';
import { tenantRoutes } from './tenant-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

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
