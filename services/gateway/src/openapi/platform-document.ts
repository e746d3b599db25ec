import type { ErrorCode, Operation } from '@mostrador/contracts';
import type { TObject, TSchema } from '@sinclair/typebox';
import { type PlatformRoute, platformPrefix } from '../platform/platform-routes.ts';
import { sessionCookie } from '../platform/session-cookie.ts';
import { documentedPath } from '../routes/route.ts';
import type { ApiDocument } from './document.ts';
import { createSharedResponses, inOrderOfTheCatalogue } from './errors.ts';
import { nameOf, operationIdOf } from './names.ts';
import { createSchemas, type Schemas } from './schemas.ts';

/** The errors that every request of a person can get. */
const always: readonly ErrorCode[] = [
  'malformed_request',
  'validation_failed',
  'cross_site_request',
  'request_timeout',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
];

/** Builds the document of what people do in the console, from which the console takes its types. */
export function createPlatformDocument(
  routes: readonly PlatformRoute[],
  { publicUrl }: { publicUrl: string },
): ApiDocument {
  const schemas = createSchemas();
  const responses = createSharedResponses(schemas, publicUrl);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, operation, status } of routes) {
    const { params, body } = operation.request;
    // The gateway puts the token into a cookie.
    const { session_token, session } = operation.reply.properties as Record<string, TSchema>;
    const reply = session_token && session ? session : operation.reply;
    const documented = documentedPath(path);
    paths[documented] = {
      ...paths[documented],
      [method.toLowerCase()]: {
        operationId: operationIdOf({ operation }),
        summary: operation.summary,
        ...(operation.description ? { description: operation.description } : {}),
        parameters: parametersOf(params, schemas),
        ...(body
          ? { requestBody: { required: true, content: json(schemas.of(body, nameOf(operation, 'Request'))) } }
          : {}),
        responses: {
          [status]: {
            description: operation.summary,
            ...(status === 204 ? {} : { content: json(schemas.of(reply, nameOf(operation, 'Response'))) }),
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

const json = (schema: object) => ({ 'application/json': { schema } });

const parametersOf = (params: TObject | undefined, schemas: Schemas) =>
  Object.entries(params?.properties ?? {}).map(([name, schema]) => ({
    in: 'path',
    name,
    required: true,
    schema: schemas.of(schema),
  }));

const errorsOf = ({ errors }: Operation) => inOrderOfTheCatalogue([...always, ...errors]);

/** The headers of the public API's answers are defined in its own document. */
const withoutHeaders = (responses: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(responses).map(([name, response]) => {
      const { headers: _, ...rest } = response as { headers?: unknown };
      return [name, rest];
    }),
  );
