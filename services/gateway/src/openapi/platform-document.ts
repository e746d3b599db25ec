import type { ErrorCode, Operation } from '@mostrador/contracts';
import type { TSchema } from '@sinclair/typebox';
import { sessionCookie } from '../http/session-cookie.ts';
import { documentedPath, platformPrefix, type Route } from '../routes/route.ts';
import type { ApiDocument } from './document.ts';
import { createSharedResponses, inOrderOfTheCatalogue } from './errors.ts';
import { nameOf, operationNameOf } from './names.ts';
import { members, parameter } from './parameters.ts';
import { createSchemas, type Schemas } from './schemas.ts';

/** The errors that every request of a person can get. */
const always: readonly ErrorCode[] = [
  'malformed_request',
  'validation_failed',
  'cross_site_request',
  'invalid_session',
  'role_required',
  'quota_exceeded',
  'request_timeout',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
];

/** Builds the document of everything that people can do in the console, which takes its types from it. */
export function createPlatformDocument(routes: readonly Route[], { publicUrl }: { publicUrl: string }): ApiDocument {
  const schemas = createSchemas();
  const responses = createSharedResponses(schemas, publicUrl);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, operation, status } of routes) {
    const { body } = operation.request;
    // The gateway puts the token into a cookie.
    const { session_token, session, attempt_token, authorization } = (operation.reply.properties ?? {}) as Members;
    const reply = (session_token && session) ?? (attempt_token && authorization) ?? operation.reply;
    const documented = documentedPath(path);
    paths[documented] = {
      ...paths[documented],
      [method.toLowerCase()]: {
        operationId: operationNameOf(operation),
        summary: operation.summary,
        ...(operation.description ? { description: operation.description } : {}),
        parameters: parametersOf(operation, schemas),
        ...(body
          ? { requestBody: { required: true, content: json(schemas.of(body, nameOf(operation, 'Request'))) } }
          : {}),
        responses: {
          [status]: {
            description: operation.summary,
            ...(status === 204 ? {} : { content: json(replySchema(operation, reply, schemas)) }),
          },
          ...responses.of(errorsOf(operation)),
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mostrador: what people do in the console',
      version: '1.0.0',
      description:
        'Only pages of this address may call it. The cookie of a session says who asks, and for which store.',
    },
    servers: [{ url: `${publicUrl}${platformPrefix}` }],
    security: [{ Session: [] }],
    paths,
    components: {
      securitySchemes: { Session: { type: 'apiKey', in: 'cookie', name: sessionCookie } },
      responses: withoutHeaders(responses.components()),
      schemas: schemas.components,
    },
  };
}

type Members = Readonly<Record<string, TSchema | undefined>>;

const json = (schema: object) => ({ 'application/json': { schema } });

const parametersOf = ({ request: { params, query } }: Operation, schemas: Schemas) => [
  ...members(params).map(([name, schema]) => parameter({ in: 'path', name, required: true }, schema, schemas)),
  ...members(query).map(([name, schema]) =>
    parameter({ in: 'query', name, required: query?.required?.includes(name) ?? false }, schema, schemas),
  ),
];

/** A list without an envelope has no name of its own. */
const replySchema = (operation: Operation, reply: TSchema, schemas: Schemas) =>
  schemas.of(reply, reply.type === 'array' ? undefined : nameOf(operation, 'Response'));

const errorsOf = ({ errors }: Operation) => inOrderOfTheCatalogue([...always, ...errors]);

/** The headers of the public API's answers are defined in its own document. */
const withoutHeaders = (responses: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(responses).map(([name, response]) => {
      const { headers: _, ...rest } = response as { headers?: unknown };
      return [name, rest];
    }),
  );
