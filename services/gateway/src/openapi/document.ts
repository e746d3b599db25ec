import type { Operation } from '@mostrador/contracts';
import { exportTypes, exportWriter } from '../exports/export-writer.ts';
import {
  type ApiRoute,
  apiPrefix,
  documentedPath,
  type Route,
  takesIdempotencyKey,
  takesIfMatch,
  takesIfNoneMatch,
} from '../routes/route.ts';
import { tagOf, tags } from '../routes/tags.ts';
import { calendarFeedPath } from './calendar-feed.ts';
import { codeSamples } from './code-samples.ts';
import { createSharedResponses, errorsOf, type SharedResponses } from './errors.ts';
import { eventStreamPath } from './event-stream.ts';
import { eventWebhooks } from './event-webhooks.ts';
import type { Example } from './examples/example.ts';
import { exampleOf } from './examples/index.ts';
import { nameOf, operationIdOf } from './names.ts';
import { members, parameter } from './parameters.ts';
import { createSchemas, type Schemas } from './schemas.ts';

/** An OpenAPI 3.1 document. */
export type ApiDocument = { readonly openapi: string; readonly paths: Readonly<Record<string, unknown>> } & Record<
  string,
  unknown
>;

const description = `The API that connects a store's own systems to Mostrador: appointments, leads, sellers, AI agents,
the knowledge base, messages, follow-ups, reports, events, and the store itself.

Every request needs an API key in \`X-API-Key\`. The key belongs to one store, and a request sees only its data.
Errors are [problem documents](/docs/errors) with a stable \`code\`. A validation error lists all faults of a request.
The guides explain what the operations have in common: [authentication](/docs/guides/authentication),
[idempotency](/docs/guides/idempotency), [lists and sync](/docs/guides/lists-and-sync), [events](/docs/guides/events),
[webhooks](/docs/guides/webhooks), [errors](/docs/guides/errors), and
[messages and windows](/docs/guides/messages-and-windows). There are [SDKs](/docs/guides/clients) for TypeScript and
Python. The [sandbox](/docs/guides/sandbox) is a channel for tests. [llms.txt](/llms.txt) lists all of this for programs.

- **Rate limits**: each key has a token bucket that holds one minute of requests and refills evenly. The headers
  \`RateLimit-Policy\` and \`RateLimit\` show its state. Each gateway process counts separately. While the server serves
  other stores, it spreads a burst: about a second of requests starts at once, and each further one waits up to 5 s for
  its turn. Above 60 rejections a minute, each 429 takes 5 s longer.
- **Retries**: every POST, PUT, PATCH and DELETE accepts an \`Idempotency-Key\`, which is valid for 24 hours. A retry of the
  same request with the same key gets the first response, with \`Idempotent-Replay: true\`, whatever changed meanwhile.
- **Preconditions**: a request with an \`If-Match\` or \`If-None-Match\` that its operation does not list gets 400. Only
  the \`If-None-Match\` of a GET is ignored there.
- **Compression**: a response of 1 KiB or more is compressed with \`zstd\`, \`br\` or \`gzip\`, as \`Accept-Encoding\` prefers.
  Request bodies must not be compressed.
- **Language**: \`title\` and \`detail\` of errors, and the guides, are in Brazilian Portuguese where \`Accept-Language\`
  prefers Portuguese, otherwise in English. Codes never change.
- **The AI** answers leads in stores where the operator has switched it on: [when it answers](/docs/guides/agents#when-the-ai-answers).
  Programs of your own can use its agents and documents, too.
- **Versions**: changes within \`/v1\` are additions only. At least 12 months before a removal, responses announce it in
  \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and a \`Link\`.
- **The badge *Extension*** marks operations that are Mostrador's own. Other servers of the Store Integration API need not
  have them.`;

export type DocumentOptions = {
  readonly publicUrl: string;
  /** Where integrators get help, as `https:` or `mailto:`. Default: the page with the API's documentation. */
  readonly contactUrl?: string;
};

/**
 * Builds the API document from the routes and from the schemas that validate requests.
 *
 * `@fastify/swagger` cannot derive it: each contract lists its errors, and several error codes share a status, which
 * route schemas cannot express.
 */
export function createApiDocument(routes: readonly ApiRoute[], options: DocumentOptions): ApiDocument {
  const { publicUrl, contactUrl = `${publicUrl}/docs` } = options;
  const schemas = createSchemas();
  const responses = createSharedResponses(schemas, publicUrl);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: documentRoute(route, { schemas, responses, publicUrl }),
    };
  }
  const calendarFeed = calendarFeedPath(publicUrl, responses);
  const eventStream = eventStreamPath(publicUrl, responses);
  const webhooks = eventWebhooks(schemas);
  const errorResponses = responses.components();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mostrador',
      version: '1.0.0',
      description,
      contact: { name: 'The operator of this installation', url: contactUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: `${publicUrl}${apiPrefix}` },
      { url: apiPrefix, description: 'The same API at the address that served this document.' },
    ],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    security: [{ ApiKey: [] }],
    paths: { ...paths, ...eventStream, ...calendarFeed },
    webhooks,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'An owner of the store creates keys in the console, under Integrations → API keys. The operator can, too, with ' +
            '`npm run admin -- key create`. `GET /me` tells what a key may do.',
        },
      },
      responses: errorResponses,
      schemas: sorted(schemas.components),
      headers,
    },
  };
}

const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

type Parts = { readonly schemas: Schemas; readonly responses: SharedResponses; readonly publicUrl: string };

function documentRoute(route: ApiRoute, { schemas, responses, publicUrl }: Parts) {
  const { operation, status, tier, scope, alsoScope } = route;
  const example = exampleOf(operation);
  const notes = [
    ...(operation.description ? [operation.description] : []),
    ...(route.exports ? [exportNote] : []),
    scope === null
      ? 'Requires no scope.'
      : `Requires the scope${alsoScope ? 's' : ''} \`${scope}\`${alsoScope ? ` and \`${alsoScope}\`` : ''}${tier ? ` and a store of tier \`${tier}\` or higher` : ''}.`,
  ];
  const { body } = operation.request;
  const success = (reply: unknown) => ({
    description: operation.summary,
    headers: headersOf(route),
    content: {
      'application/json': { schema: replySchema(operation, schemas), ...shown(reply) },
      ...(route.csv ? { 'text/csv': { schema: { type: 'string' }, ...shown(asCsv(route.csv, example)) } } : {}),
      ...(route.exports ? exportContent(operation, reply) : {}),
    },
  });
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route)],
    summary: operation.summary,
    description: notes.join('\n\n'),
    ...(operation.extension ? { 'x-extension': true, 'x-badges': [{ name: 'Extension' }] } : {}),
    // openapi-generator for Java: a method for each parameter, so that a new one moves no arguments.
    'x-group-parameters': true,
    parameters: parametersOf(route, schemas),
    ...(example && { 'x-codeSamples': codeSamples(route, example, `${publicUrl}${apiPrefix}`) }),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.of(body, nameOf(operation, 'Request')),
                ...shown((example?.request as { body?: unknown } | undefined)?.body),
              },
            },
          },
        }
      : {}),
    responses: {
      [status]: success(example?.reply),
      ...(route.upserts ? { 201: success(example && { ...(example.reply as object), created: true }) } : {}),
      ...(route.versioned && route.method === 'GET' ? { 304: notModified } : {}),
      ...responses.of(errorsOf(route)),
    },
  };
}

/** The examples of a media type. */
const shown = (value: unknown) => (value === undefined ? {} : { examples: { example: { value } } });

const asCsv = (read: NonNullable<Route['csv']>, example: Example | undefined): string | undefined =>
  example && read({ format: 'csv', table: 'totals' }, undefined).render?.(example.reply as never);

const exportNote =
  '`Accept: application/x-ndjson` or `Accept: text/csv` answers all rows at once, as a stream: see ' +
  '[exports](/docs/guides/lists-and-sync#exports).';

const exportContent = (operation: Operation, reply: unknown) =>
  Object.fromEntries(
    exportTypes.map((type) => {
      const { beginning, write } = exportWriter(type, operation);
      const rows = (reply as { data: Record<string, unknown>[] } | undefined)?.data;
      return [type, { schema: { type: 'string' }, ...shown(rows && beginning + write(rows)) }];
    }),
  );

/** A list without an envelope has no name of its own. */
const replySchema = (operation: Operation, schemas: Schemas) =>
  schemas.of(operation.reply, operation.reply.type === 'array' ? undefined : nameOf(operation, 'Response'));

const notModified = {
  description: '`If-None-Match` names the current version.',
  headers: { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' }, ETag: { $ref: '#/components/headers/ETag' } },
};

function parametersOf(route: Route, schemas: Schemas) {
  const { params, query } = route.operation.request;
  const example = exampleOf(route.operation)?.request as
    | Partial<Record<'params' | 'query', Readonly<Record<string, unknown>>>>
    | undefined;
  return [
    ...members(params).map(([name, schema]) =>
      parameter({ in: 'path', name, required: true }, schema, schemas, example?.params?.[name]),
    ),
    ...members(query).map(([name, schema]) =>
      parameter(
        { in: 'query', name, required: query?.required?.includes(name) ?? false },
        schema,
        schemas,
        example?.query?.[name],
      ),
    ),
    ...(takesIdempotencyKey(route) ? [requestHeaders.idempotencyKey] : []),
    ...(route.versioned && route.method === 'GET' ? [requestHeaders.ifNoneMatch] : []),
    ...(takesIfMatch(route) ? [requestHeaders.ifMatch] : []),
    ...(takesIfNoneMatch(route) ? [requestHeaders.ifNoneMatchAny] : []),
  ];
}

/** 1 to 255 printable ASCII characters: bare (HTTP strips outer spaces), or a quoted string with its two escapes. */
const idempotencyKeyPattern = '^([!#-~]([ -~]{0,253}[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$';

const requestHeaders = {
  idempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes a retry of the request safe for 24 hours. Bare or as a quoted string.',
    schema: { type: 'string', pattern: idempotencyKeyPattern },
  },
  ifNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description: 'The `ETag` of a stored copy. The response is 304 while all of the copy is current.',
    schema: { type: 'string' },
  },
  ifNoneMatchAny: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description: '`*`: only create. If the lead exists, nothing changes, and the response is 412 with its `id`.',
    schema: { type: 'string', pattern: '^\\*$' },
  },
  ifMatch: {
    in: 'header',
    name: 'If-Match',
    required: false,
    description:
      'An `ETag` of the resource. The response is 412 if an API user has changed the resource since. A change of ' +
      "something else, such as a lead's `interaction_count`, does not matter. Several tags and `*` are allowed, and what " +
      'a proxy that compresses makes of a tag: `W/"v3"`, `"v3-gzip"`.',
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
    ...(takesIdempotencyKey(route) ? { 'Idempotent-Replay': ref('IdempotentReplay') } : {}),
    ...(route.located ? { Location: ref('Location') } : {}),
    Vary: ref('Vary'),
  };
}

const header = (text: string, schema: object) => ({ description: text, schema });

const headers = {
  XRequestId: header("The request's id. A caller may set it: 1 to 128 of `A-Za-z0-9._-`.", { type: 'string' }),
  RateLimitPolicy: header('`"default";q=6000;w=60`: 6000 requests in 60 seconds.', { type: 'string' }),
  RateLimit: header('`"default";r=5999;t=1`: 5999 requests left, and 1 second until all are back.', { type: 'string' }),
  ETag: header(
    'The state of all that the response shows, for `If-Match` and `If-None-Match`. A compressed response has its own.',
    { type: 'string' },
  ),
  Link: header('`rel="next"`: the next page, if there is one. Follow the link unchanged.', { type: 'string' }),
  Location: header('The address of the resource, with its present state.', { type: 'string', format: 'uri' }),
  IdempotentReplay: header('The response repeats the first response to this key.', {
    type: 'string',
    enum: ['true'],
  }),
  Vary: header('The request headers that select the response, such as `Accept-Encoding`.', { type: 'string' }),
  ContentLanguage: header('The language of `title` and `detail`: `en` or `pt-BR`, as `Accept-Language` prefers.', {
    type: 'string',
  }),
  AcceptEncoding: header('With `unsupported_content_encoding`: `identity`.', { type: 'string' }),
  RetryAfter: header('The seconds to wait before a retry.', { type: 'integer' }),
  WWWAuthenticate: header('How to authenticate.', { type: 'string' }),
};
