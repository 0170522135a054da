/** The OpenAPI 3.1 document, made from the routes and from the schemas that check their requests. */
import { createDocument } from 'zod-openapi';
import { routes } from '../routes/table.ts';
import { headerComponents } from './headers.ts';
import { pathsOf } from './operation.ts';
import { tags } from './tags.ts';

export function openApiDocument(version: string): ReturnType<typeof createDocument> {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Orbweaver',
      version,
      description:
        'Start, steer and read crawls. Every error is a problem document (RFC 9457); cursors are given by `next`.',
      contact: { name: 'The Orbweaver authors' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    components: {
      headers: headerComponents,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (`owk_…`), or a JWT if the instance is set up with an issuer.',
        },
        header: {
          type: 'apiKey',
          in: 'header',
          name: 'API-X-TOKEN',
          description: 'The same key or token, as `Bearer …`.',
        },
      },
    },
    paths: pathsOf(routes),
  });
}
