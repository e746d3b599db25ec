import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import type { TObject } from '@sinclair/typebox';
import { errorPagePath } from '../plugins/problem.ts';
import { type Route, takesIdempotencyKey } from '../routes/route.ts';
import { ids } from './examples/optician.ts';
import {
  ConflictProblem,
  NotFoundProblem,
  PermissionProblem,
  PreconditionProblem,
  Problem,
  UnavailableProblem,
  ValidationProblem,
} from './problems.ts';
import type { Schemas } from './schemas.ts';

/** The errors that every request below the prefix can get. */
const always: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'quota_exceeded',
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
  const { operation, tier, scope } = route;
  const codes = new Set<ErrorCode>([...always, ...operation.errors]);
  if (scope) codes.add('scope_required');
  if (tier) codes.add('tier_required');
  if (operation.request.body) for (const code of ofBodies) codes.add(code);
  if (takesIdempotencyKey(route))
    for (const code of ['idempotency_key_reused', 'idempotency_in_progress'] as const) codes.add(code);
  return inOrderOfTheCatalogue([...codes]);
}

export const inOrderOfTheCatalogue = (codes: readonly string[]): readonly ErrorCode[] =>
  (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.includes(code));

type ErrorStatus = (typeof errorCatalogue)[ErrorCode]['status'];

/** The name of each status in the document, and the schema of its body. */
const responses: Readonly<Partial<Record<ErrorStatus, { name: string; body: TObject }>>> = {
  400: { name: 'BadRequest', body: ValidationProblem },
  401: { name: 'Unauthorized', body: Problem },
  403: { name: 'Forbidden', body: PermissionProblem },
  404: { name: 'NotFound', body: NotFoundProblem },
  408: { name: 'RequestTimeout', body: Problem },
  409: { name: 'Conflict', body: ConflictProblem },
  410: { name: 'Gone', body: Problem },
  412: { name: 'PreconditionFailed', body: PreconditionProblem },
  413: { name: 'ContentTooLarge', body: Problem },
  415: { name: 'UnsupportedMediaType', body: Problem },
  422: { name: 'UnprocessableContent', body: Problem },
  429: { name: 'TooManyRequests', body: Problem },
  431: { name: 'HeadersTooLarge', body: Problem },
  500: { name: 'InternalError', body: Problem },
  503: { name: 'ServiceUnavailable', body: UnavailableProblem },
  504: { name: 'OutcomeUnknown', body: Problem },
};

/** The error responses of an operation by status. Each refers to the one response that the operations share. */
export type SharedResponses = {
  of(codes: readonly ErrorCode[]): Record<string, { $ref: string; description: string }>;
  /** The shared responses, with all codes so far. */
  components(): Record<string, unknown>;
};

export function createSharedResponses(schemas: Schemas, publicUrl: string): SharedResponses {
  const used = new Set<ErrorCode>();
  const byStatus = (codes: readonly ErrorCode[]) => [
    ...Map.groupBy(codes, (code): ErrorStatus => errorCatalogue[code].status),
  ];
  return {
    of(codes) {
      for (const code of codes) used.add(code);
      return Object.fromEntries(
        byStatus(codes).map(([status, ofStatus]) => [
          status,
          { $ref: `#/components/responses/${responseOf(status).name}`, description: listOf(ofStatus) },
        ]),
      );
    },
    components() {
      const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => used.has(code));
      return Object.fromEntries(
        byStatus(codes).map(([status, ofStatus]) => [
          responseOf(status).name,
          errorResponse(status, ofStatus, schemas, publicUrl),
        ]),
      );
    },
  };
}

function responseOf(status: ErrorStatus) {
  const response = responses[status];
  if (!response) throw new Error(`the API document has no name for the status ${status}`);
  return response;
}

const listOf = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].description}`).join('\n');

function errorResponse(status: ErrorStatus, codes: readonly ErrorCode[], schemas: Schemas, publicUrl: string) {
  const headers: Record<string, unknown> = {
    'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
    'Content-Language': { $ref: '#/components/headers/ContentLanguage' },
  };
  if (status === 401) headers['WWW-Authenticate'] = { $ref: '#/components/headers/WWWAuthenticate' };
  if (status === 415) headers['Accept-Encoding'] = { $ref: '#/components/headers/AcceptEncoding' };
  if (status === 409 || status === 429 || status === 503)
    headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' };
  return {
    description: listOf(codes),
    headers,
    content: {
      'application/problem+json': {
        schema: schemas.of(responseOf(status).body),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(code, publicUrl) }])),
      },
    },
  };
}

const exampleId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';

/** Examples of the further members. */
const exampleMembers: Readonly<Partial<Record<ErrorCode, object>>> = {
  validation_failed: {
    detail: '#/title must not be empty.',
    errors: [{ pointer: '#/title', detail: 'must not be empty' }],
  },
  role_required: { required_role: 'owner' },
  scope_required: { required_scope: 'leads:write' },
  tier_required: { required_tier: 'starter', current_tier: 'free' },
  lead_exists: { id: ids.lead },
  external_id_exists: { id: ids.lead },
  appointment_not_scheduled: { current_status: 'done' },
  followup_not_pending: { current_status: 'sent' },
  message_not_queued: { current_status: 'sent' },
  webhook_endpoint_not_enabled: { current_status: 'paused' },
};

/** A problem document with this code. */
export function exampleProblem(code: ErrorCode, publicUrl: string) {
  const { status, title, description } = errorCatalogue[code];
  const type = `${publicUrl}${errorPagePath(code)}`;
  return { type, title, status, detail: description, code, request_id: exampleId, ...exampleMembers[code] };
}
