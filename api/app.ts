/** The HTTP API as an express application over its dependencies. */
import express, { type Express } from 'express';
import helmet from 'helmet';
import { pinoHttp } from 'pino-http';
import { LendingContext } from '../engine/lending/context.ts';
import { compatErrors } from './compat/errors.ts';
import { encodeRawUrl } from './compat/raw-url.ts';
import type { Dependencies, Parts } from './dependencies.ts';
import { openApiDocument } from './openapi/document.ts';
import { consolePage } from './pages/console-page.ts';
import { docsPage } from './pages/docs-page.ts';
import { healthRoutes } from './routes/health.ts';
import { crawlerPageRoutes } from './routes/pages.ts';
import { mount } from './routes/route.ts';
import { gatedRoutes, routes } from './routes/table.ts';
import { createJudge } from './way-in/access.ts';
import { auditLog } from './way-in/audit-log.ts';
import { consoleSessions } from './way-in/console-session.ts';
import { gate } from './way-in/gate.ts';
import { guard } from './way-in/guard.ts';
import { idempotency } from './way-in/idempotency.ts';
import { jsonBody } from './way-in/json-body.ts';
import { createKeyring } from './way-in/keyring.ts';
import { notFound, problemHandler } from './way-in/problem.ts';
import { limitByAddress, limitByTenant, limitMadeUpKeys } from './way-in/rate-limits.ts';
import { requestId, versionHeader } from './way-in/request-ids.ts';
import { withoutSecrets } from './way-in/secrets.ts';
import { createTurns, takePlace } from './way-in/turns.ts';

export function buildApp(dependencies: Dependencies): Express {
  const { pool, log, settings, sharedCounts, turns = createTurns() } = dependencies;
  const keyring = createKeyring(pool, dependencies.verifyToken);
  const sessions = consoleSessions(pool, dependencies.keys);
  const parts: Parts = {
    ...dependencies,
    keyring,
    consoleSessions: sessions,
    lending: new LendingContext({ ...dependencies, ...settings }),
    document: openApiDocument(settings.version),
  };
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
      customAttributeKeys: { reqId: 'requestId' },
      quietReqLogger: true,
      // No headers: they hold keys. Nor a key that somebody put into a URL.
      serializers: {
        req: ({ method, url }: { method: string; url: string }) => ({
          method,
          url: withoutSecrets(url),
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      },
      // The log and the answer share the request id, so that a refusal can be found in the log.
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
  const { requestsPer10s } = settings;
  const judge = createJudge(routes);
  app.use(mount(crawlerPageRoutes, parts));
  app.use(encodeRawUrl);
  for (const [paths, render] of compatErrors()) app.use(paths, render);
  app.use(guard(settings.hostNames));
  app.use(mount(healthRoutes, parts));
  app.use(limitByAddress(judge, requestsPer10s, sharedCounts));
  app.use(sessions.enter);
  app.use(limitMadeUpKeys(judge, requestsPer10s, keyring, sharedCounts));
  const limits = [limitByTenant(sharedCounts), takePlace(turns)];
  app.use(gate(judge, pool, keyring, limits, auditLog(pool, log)));
  app.use(jsonBody());
  app.use(idempotency(pool, log));
  app.use('/docs', docsPage(parts.document));
  app.use('/console', consolePage());
  app.use(mount(gatedRoutes, parts));
  app.use(notFound);
  app.use(problemHandler);
  return app;
}
