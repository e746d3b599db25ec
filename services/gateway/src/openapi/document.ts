import type { TObject, TSchema } from '@sinclair/typebox';
import { apiPrefix, type Route } from '../routes/route.ts';
import { calendarFeedPath } from './calendar-feed.ts';
import { errorResponses, errorsOf, problemSchema } from './errors.ts';
import { createSchemas, type Schemas } from './schemas.ts';

/** An OpenAPI 3.1 document. */
export type ApiDocument = { readonly openapi: string; readonly paths: Readonly<Record<string, unknown>> } & Record<
  string,
  unknown
>;

const description = `The API by which a store's own systems work with Mostrador: appointments, leads, sellers, AI agents,
the knowledge base, messages, follow-ups, reports, and the store itself.

Every call carries an API key in \`X-API-Key\`; the key names the store, and a call sees that store's data alone.
Errors are [problem documents](/docs/errors) with a stable \`code\`. A request that is not valid is told all its faults at once.

- **Rates**: a bucket for each key holds a minute's worth of requests and fills evenly. \`RateLimit-Policy\` and \`RateLimit\` say
  where it stands. It is counted in each gateway process.
- **Sending again**: every POST takes an \`Idempotency-Key\`, good for 24 hours. The same request with the same key is answered
  with the first answer and \`Idempotent-Replay: true\`.
- **Versions**: the API changes within \`/v1\` by additions only. What is going to be removed says so in \`Deprecation\` (RFC 9745),
  \`Sunset\` (RFC 8594) and a \`Link\`, at least 12 months before.
- Operations marked *Extension* go beyond the specification that the API follows.`;

/**
 * The document of the API, made from the routes and the schemas that validate.
 *
 * Written out here rather than derived by @fastify/swagger: what an operation may answer stands in its contract, and
 * several error codes share a status, which route schemas cannot say. That plugin only serves the result.
 */
export function createApiDocument(routes: readonly Route[], options: { publicUrl: string }): ApiDocument {
  const { publicUrl } = options;
  const schemas = createSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: documentRoute(route, schemas, publicUrl) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mostrador',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: `${publicUrl}${apiPrefix}` },
      { url: apiPrefix, description: 'The same, under the address at which this document was read.' },
    ],
    tags: [...new Set(routes.map(({ tag }) => tag)), 'Calendar feed'].map((name) => ({ name })),
    security: [{ ApiKey: [] }],
    paths: { ...paths, ...calendarFeedPath(publicUrl) },
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Made with `npm run admin -- key create`.',
        },
      },
      schemas: { ...schemas.components, Problem: problemSchema },
      headers,
    },
  };
}

function documentRoute(route: Route, schemas: Schemas, publicUrl: string) {
  const { operation, tag, status, tier, scope } = route;
  const [, , resource = '', verb = ''] = operation.subject.split('.');
  const notes = [
    ...(operation.extension ? ['**Extension.**'] : []),
    ...(operation.description ? [operation.description] : []),
    `Needs the scope \`${scope}\`${tier ? ` and a store of tier \`${tier}\` or higher` : ''}.`,
  ];
  const { body } = operation.request;
  return {
    operationId: `${resource}.${verb}`,
    tags: [tag],
    summary: operation.summary,
    description: notes.join('\n\n'),
    ...(operation.extension ? { 'x-extension': true, 'x-badges': [{ name: 'Extension' }] } : {}),
    parameters: parametersOf(route, schemas),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: schemas.of(body) } } } } : {}),
    responses: {
      [status]: {
        description: operation.summary,
        headers: headersOf(route),
        content: {
          'application/json': { schema: schemas.of(operation.reply) },
          ...(route.csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
        },
      },
      ...(route.versioned && route.method === 'GET' ? { 304: notModified } : {}),
      ...errorResponses(errorsOf(route), publicUrl),
    },
  };
}

const notModified = {
  description: '`If-None-Match` names the current version.',
  headers: { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' }, ETag: { $ref: '#/components/headers/ETag' } },
};

function parametersOf(route: Route, schemas: Schemas) {
  const { params, query } = route.operation.request;
  return [
    ...members(params).map(([name, schema]) => parameter('path', name, schema, true, schemas)),
    ...members(query).map(([name, schema]) =>
      parameter('query', name, schema, query?.required?.includes(name) ?? false, schemas),
    ),
    ...(route.method === 'POST' ? [requestHeaders.idempotencyKey] : []),
    ...(route.versioned && route.method === 'GET' ? [requestHeaders.ifNoneMatch] : []),
    ...(route.versioned && (route.method === 'PATCH' || route.method === 'DELETE') ? [requestHeaders.ifMatch] : []),
  ];
}

const members = (schema: TObject | undefined): [string, TSchema][] => Object.entries(schema?.properties ?? {});

function parameter(place: 'path' | 'query', name: string, schema: TSchema, required: boolean, schemas: Schemas) {
  const { description: text, ...converted } = schemas.of(schema);
  return { in: place, name, required, ...(text ? { description: text } : {}), schema: converted };
}

/** Printable ASCII, up to 255: bare, where HTTP takes off outer spaces, or as a quoted string with its two escapes. */
const idempotencyKeyPattern = '^([!#-~]([ -~]{0,253}[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$';

const requestHeaders = {
  idempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes it safe to send the request again, for 24 hours. Bare or as a quoted string.',
    schema: { type: 'string', pattern: idempotencyKeyPattern },
  },
  ifNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description: 'The `ETag` at hand: 304 when it is still current.',
    schema: { type: 'string' },
  },
  ifMatch: {
    in: 'header',
    name: 'If-Match',
    required: false,
    description: 'Change it only if it still has this `ETag`, else 412.',
    schema: { type: 'string' },
  },
};

function headersOf(route: Route) {
  const ref = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    'X-Request-Id': ref('XRequestId'),
    'RateLimit-Policy': ref('RateLimitPolicy'),
    RateLimit: ref('RateLimit'),
    ...(route.versioned && route.method !== 'DELETE' ? { ETag: ref('ETag') } : {}),
    ...(route.operation.request.query?.properties.cursor ? { Link: ref('Link') } : {}),
    ...(route.method === 'POST' ? { 'Idempotent-Replay': ref('IdempotentReplay') } : {}),
    ...(route.csv ? { Vary: ref('Vary') } : {}),
  };
}

const header = (text: string, schema: object) => ({ description: text, schema });

const headers = {
  XRequestId: header('Names the request; a sane `X-Request-Id` of the request is kept.', { type: 'string' }),
  RateLimitPolicy: header('`"default";q=6000;w=60`: so many requests in so many seconds.', { type: 'string' }),
  RateLimit: header('`"default";r=5999;t=1`: requests left, and seconds until all are back.', { type: 'string' }),
  ETag: header('The version, for `If-Match` and `If-None-Match`.', { type: 'string' }),
  Link: header('`rel="next"`: the next page, when there is one. Follow it as it is.', { type: 'string' }),
  IdempotentReplay: header('This is the answer of the first request with this key.', {
    type: 'string',
    enum: ['true'],
  }),
  Vary: header('`Accept`: it says whether the answer is JSON or CSV.', { type: 'string' }),
  RetryAfter: header('Seconds.', { type: 'integer' }),
  WWWAuthenticate: header('How to authenticate.', { type: 'string' }),
};
