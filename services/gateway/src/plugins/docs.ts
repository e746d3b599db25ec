import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import type { ApiDocument } from '../openapi/document.ts';
import { errorListPage, errorPage, logo } from '../openapi/pages.ts';
import { errorPagePath } from './problem.ts';

/** The page may load from and call only this origin, so that it works offline and sends keys nowhere else. */
const contentSecurityPolicy = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  // swagger-ui sets styles from script.
  'style-src': ["'self'", "'unsafe-inline'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const plainPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * `/docs` (a page where calls can be tried), `/docs/json` (the OpenAPI document), `/docs/errors` (every error code). The
 * first two can be switched off. The third stays, because problem documents name its pages.
 */
export async function addDocs(
  app: FastifyInstance,
  options: { document: ApiDocument; publicUrl: string; isOn: boolean },
): Promise<void> {
  const { document, publicUrl, isOn } = options;
  addErrorPages(app);
  if (!isOn) return;
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: { ...contentSecurityPolicy, 'connect-src': ["'self'", new URL(publicUrl).origin] },
    theme: { title: 'Mostrador' },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: '/docs', target: '_self' },
    uiConfig: {
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'list',
      // The browser must not store the API key.
      persistAuthorization: false,
      tryItOutEnabled: true,
      // The validator badge would call an external server.
      validatorUrl: null,
    },
  });
}

function addErrorPages(app: FastifyInstance): void {
  app.get('/docs/errors', async (_request, reply) =>
    reply.header('content-security-policy', plainPagePolicy).type('text/html; charset=utf-8').send(errorListPage()),
  );
  app.get<{ Params: { code: string } }>(errorPagePath(':code'), async (request, reply) => {
    const { code } = request.params;
    if (!Object.hasOwn(errorCatalogue, code)) throw new AppError('route_not_found');
    return reply
      .header('content-security-policy', plainPagePolicy)
      .type('text/html; charset=utf-8')
      .send(errorPage(code as ErrorCode));
  });
}
