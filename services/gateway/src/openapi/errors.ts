import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { type Route, takesIdempotencyKey } from '../routes/route.ts';
import type { DocumentSchema } from './schemas.ts';

/** The errors that every request below the prefix can get. */
const always: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'quota_exceeded',
  'scope_required',
  'malformed_request',
  'validation_failed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
];

/** The errors of requests with a body. */
const ofBodies = [
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'malformed_json',
] as const;

/** Every error that a route can return, in the order of the catalogue. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const { operation, tier } = route;
  const codes = new Set<ErrorCode>([...always, ...operation.errors]);
  if (tier) codes.add('tier_required');
  if (operation.request.body) for (const code of ofBodies) codes.add(code);
  if (takesIdempotencyKey(route))
    for (const code of ['idempotency_key_reused', 'idempotency_in_progress'] as const) codes.add(code);
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The OpenAPI responses for these errors, one for each status. */
export function errorResponses(codes: readonly ErrorCode[], publicUrl: string): Record<string, unknown> {
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [status, errorResponse(status, ofStatus, publicUrl)]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], publicUrl: string) {
  const headers: Record<string, unknown> = { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' } };
  if (status === 401) headers['WWW-Authenticate'] = { $ref: '#/components/headers/WWWAuthenticate' };
  if (status === 415) headers['Accept-Encoding'] = { $ref: '#/components/headers/AcceptEncoding' };
  if (status === 429 || status === 503) headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' };
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].description}`).join('\n'),
    headers,
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }],
          properties: { status: { const: status }, code: { enum: codes } },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code, publicUrl) }])),
      },
    },
  };
}

function example(code: ErrorCode, publicUrl: string) {
  const { status, title, description } = errorCatalogue[code];
  return {
    type: `${publicUrl}/docs/errors/${code}`,
    title,
    status,
    detail: description,
    code,
    request_id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a',
    ...(code === 'validation_failed' ? { errors: [{ pointer: '#/title', detail: 'must not be empty' }] } : {}),
  };
}

/** The body of every error. */
export const problemSchema: DocumentSchema = {
  type: 'object',
  description: 'An error (RFC 9457). `code` is stable, texts may change. Some codes add further members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'The documentation page of this code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      description: 'With `validation_failed`: every fault of the request.',
      items: {
        type: 'object',
        required: ['detail'],
        properties: {
          pointer: { type: 'string', description: 'The place in the body: a JSON Pointer as a URI fragment.' },
          in: { type: 'string', enum: ['query', 'path', 'header'] },
          name: { type: 'string', description: 'The name of the parameter or header.' },
          detail: { type: 'string' },
        },
      },
    },
  },
};
