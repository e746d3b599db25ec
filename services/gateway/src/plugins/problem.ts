import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from '../http/headers.ts';
import { type Language, preferredLanguage } from '../languages/language.ts';
import { inLanguage } from '../languages/translate.ts';

/** An error as an HTTP response (RFC 9457). */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The path of the page about an error code. */
export const errorPagePath = (code: string): string => `/docs/errors/${code}`;

const challenge = 'ApiKey realm="mostrador"';

/** Renders an error as HTTP. Every error goes through here, even for bytes that are not a valid request. */
export function renderProblem(
  error: AppError,
  requestId: string,
  publicUrl: string,
  language: Language = 'en',
): Problem {
  const { code, detail, members, retryAfterSeconds } = error;
  const { status, title } = errorCatalogue[code];
  const retryAfter = retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  const type = `${publicUrl}${errorPagePath(code)}`;
  const problem = { type, title, status, detail, code, request_id: requestId };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'content-language': language,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': challenge } : {}),
      // Names what is accepted (RFC 9110, 15.5.16), and tells this 415 from that of a media type.
      ...(code === 'unsupported_content_encoding' ? { 'accept-encoding': 'identity' } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    // The standard members come first for readers. The second spread stops `members` from replacing them.
    body: JSON.stringify(inLanguage({ ...problem, ...members, ...problem }, language)),
  };
}

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyRequest {
    /** The code of the error that the response reports. */
    failure: ErrorCode | null;
  }
}

/** Turns every thrown error into a problem document. */
export function addProblems(app: FastifyInstance, options: { publicUrl: string; log: Log }): void {
  app.decorateRequest('failure', null);
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const known = toAppError(error);
    request.failure = known.code;
    if (known.code === 'internal_error') options.log.error({ err: error, request_id: request.id }, 'a request failed');
    else if (known.status >= 500)
      options.log.warn({ err: error, request_id: request.id }, 'a request failed because a dependency did not answer');
    sendProblem(request, reply, known, options.publicUrl);
  });
}

/**
 * Sends an error in the language that the request prefers, as a buffer, so that Fastify neither serializes it again nor
 * changes its media type.
 */
export function sendProblem(
  { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
  reply: FastifyReply,
  error: AppError,
  publicUrl: string,
): void {
  const problem = renderProblem(error, id, publicUrl, preferredLanguage(headers['accept-language']));
  addVary(reply, 'Accept-Language');
  reply.code(problem.status).headers(problem.headers).send(Buffer.from(problem.body));
}

/** Maps Fastify's own errors to the catalogue. Any other error is `internal_error`. */
export function toAppError(error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('malformed_json');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // The client disconnected during its request. No client reads the response.
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new AppError('malformed_request');
    default:
      // Any other request that Fastify itself rejects.
      if (error.statusCode !== undefined && error.statusCode < 500) return new AppError('malformed_request');
      return new AppError('internal_error', { cause: error });
  }
}
