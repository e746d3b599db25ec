import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { isTooDeep, tooDeep } from '@mostrador/kit/schema/nesting';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The most bytes that a request body may have. */
export const bodyLimit = 256 * 1024;

/**
 * Accepts only JSON in UTF-8. PATCH also accepts `application/merge-patch+json` (RFC 7396), because it has these
 * semantics anyway. It rejects a body that is nested too deep, because `JSON.stringify` would exhaust the stack.
 */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The parser rejects `__proto__` and `constructor.prototype` as malformed JSON.
  const parse = app.getDefaultJsonParser('error', 'error');
  const decoder = new TextDecoder('utf-8', { fatal: true });

  app.addContentTypeParser<Buffer>(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (isEncoded(request)) return done(new AppError('unsupported_content_encoding'));
      if (!isTaken(request)) return done(new AppError('unsupported_media_type'));
      if (body.length === 0 && !takesBody(request)) return done(null, undefined);
      let text: string;
      try {
        text = decoder.decode(body);
      } catch {
        return done(new AppError('malformed_json', { detail: 'The body is not UTF-8. Encode it as UTF-8.' }));
      }
      parse(request, text, (error, value) =>
        isTooDeep(value) ? done(validationFailed([{ pointer: '#', detail: tooDeep }])) : done(error, value),
      );
    },
  );
}

/** Whether the operation needs a body. A request without one may still have a `Content-Type`. */
function takesBody({ method, routeOptions }: FastifyRequest): boolean {
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return false;
  const { apiRoute } = routeOptions.config;
  return apiRoute === undefined || apiRoute.operation.request.body !== undefined;
}

const isEncoded = ({ headers }: FastifyRequest): boolean =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';

function isTaken(request: FastifyRequest): boolean {
  const { 'content-type': contentType = '' } = request.headers;
  if (/^application\/merge-patch\+json/i.test(contentType) && request.method !== 'PATCH') return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^(utf-8|utf8|us-ascii)$/i.test(charset);
}
