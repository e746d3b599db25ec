import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Bytes of a body, at most. */
export const bodyLimit = 256 * 1024;

/**
 * Bodies are JSON in UTF-8 and nothing else. `application/merge-patch+json` (RFC 7396) says what PATCH does here
 * anyway, so it is taken there.
 */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // `__proto__` and `constructor.prototype` are refused as if they were not JSON.
  const parse = app.getDefaultJsonParser('error', 'error');
  const decoder = new TextDecoder('utf-8', { fatal: true });

  app.addContentTypeParser<Buffer>(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (!isTaken(request)) return done(new AppError('unsupported_media_type'));
      if (body.length === 0 && !takesBody(request)) return done(null, undefined);
      let text: string;
      try {
        text = decoder.decode(body);
      } catch {
        return done(new AppError('malformed_json', { detail: 'The body is not UTF-8.' }));
      }
      parse(request, text, done);
    },
  );
}

/** A request without content may still name a media type, unless a body is what it is about. */
function takesBody({ method, routeOptions }: FastifyRequest): boolean {
  if (method !== 'POST' && method !== 'PATCH') return false;
  const { apiRoute } = routeOptions.config;
  return apiRoute === undefined || apiRoute.operation.request.body !== undefined;
}

function isTaken(request: FastifyRequest): boolean {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() !== 'identity') return false;
  if (/^application\/merge-patch\+json/i.test(contentType) && request.method !== 'PATCH') return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^(utf-8|utf8|us-ascii)$/i.test(charset);
}
