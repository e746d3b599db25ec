import {
  type ErrorCode,
  Event,
  errorCatalogue,
  type FeedType,
  feedCatalogue,
  feedDataSchema,
  feedTypes,
  getSummaryReport,
  schedulingOperations,
} from '@mostrador/contracts';
import { validateRequest } from '@mostrador/kit/rpc/validate';
import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { createApiDocument } from './document.ts';
import { errorsOf } from './errors.ts';

const publicUrl = 'https://api.example.com';
type Response = {
  $ref?: string;
  description: string;
  content?: Record<string, { schema: Record<string, never>; examples?: object }>;
};
type Described = {
  responses: Record<string, Response>;
  parameters: { in: string; name: string; required: boolean }[];
  security?: unknown[];
};
type Webhook = {
  parameters: { name: string }[];
  requestBody: { content: Record<string, { schema: { $ref: string } }> };
};
const document = createApiDocument(routes, { publicUrl }) as ReturnType<typeof createApiDocument> & {
  paths: Record<string, Record<string, Described & Record<string, unknown>>>;
  components: { schemas: Record<string, { properties: object }>; responses: Record<string, Response> };
  servers: { url: string }[];
  info: { title: string; version: string };
};

test('the document is of OpenAPI 3.1', () => {
  expect(document.openapi).toBe('3.1.0');
});

test('the document is plain JSON without our own keyword', () => {
  const text = JSON.stringify(document);
  expect(JSON.parse(text)).toEqual(document);
  expect(text).not.toContain('"text":true');
});

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const target = reference
      .split('/')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document);
    expect(target, reference).toBeDefined();
  }
});

test.each(routes)('$method $path is described with its parameters, its headers and all of its errors', (route) => {
  const described = document.paths[documentedPath(route.path)]?.[route.method.toLowerCase()];
  expect(described?.summary).toBe(route.operation.summary);
  expect(described?.['x-extension'] ?? false).toBe(route.operation.extension ?? false);
  const names = described?.parameters.map(({ name }) => name) ?? [];
  for (const part of [route.operation.request.params, route.operation.request.query]) {
    for (const name of Object.keys(part?.properties ?? {})) expect(names).toContain(name);
  }
  expect(names.includes('Idempotency-Key')).toBe(route.method !== 'GET');
  const answerHeaders = (described?.responses[route.status] as { headers?: object } | undefined)?.headers ?? {};
  expect('Idempotent-Replay' in answerHeaders).toBe(route.method !== 'GET');
  expect('Location' in answerHeaders).toBe(route.located);
  for (const status of route.upserts ? [200, 201] : [route.status])
    expect(described?.responses[status]?.content).toHaveProperty(['application/json']);

  const general = ['missing_api_key', 'invalid_api_key', 'quota_exceeded', 'internal_error'] as const;
  const ofScope = route.scope === null ? [] : ['scope_required' as const];
  const codes: ErrorCode[] = [
    ...route.operation.errors,
    ...general,
    ...ofScope,
    ...(route.tier ? ['tier_required' as const] : []),
  ];
  for (const code of codes) {
    const response = described?.responses[errorCatalogue[code].status];
    expect(response?.description).toContain(`- \`${code}\`: `);
    const shared = document.components.responses[response?.$ref?.split('/').at(-1) ?? ''];
    expect(shared?.content?.['application/problem+json']?.examples).toHaveProperty(code);
  }
  // Only the codes of this operation, although the response is shared.
  const listed = Object.values(described?.responses ?? {}).flatMap(({ $ref, description }) =>
    $ref ? [...description.matchAll(/^- `(\w+)`/gm)].map(([, code]) => code) : [],
  );
  expect(listed.toSorted()).toEqual(errorsOf(route).toSorted());
});

test('a DELETE of a versioned resource takes If-Match, and its response has no ETag', () => {
  const described = document.paths['/sellers/{sellerId}']?.delete;
  expect(described?.parameters.map(({ name }) => name)).toContain('If-Match');
  expect(described?.responses[200]).not.toHaveProperty(['headers', 'ETag']);
  expect(document.paths['/sellers/{sellerId}']?.patch?.responses[200]).toHaveProperty(['headers', 'ETag']);
});

test('the operation that creates or changes takes If-None-Match: * alone, and its 412 has the id of the lead', () => {
  const { parameters, responses } = document.paths['/leads/by-phone/{phone}']?.put ?? {};
  expect(parameters?.filter(({ name }) => name.startsWith('If-'))).toMatchObject([
    { name: 'If-Match', required: false },
    { name: 'If-None-Match', required: false, schema: { pattern: '^\\*$' } },
  ]);
  expect(responses?.[412]).toMatchObject({ $ref: '#/components/responses/PreconditionFailed' });
  expect(document.components).toHaveProperty(['schemas', 'PreconditionProblem', 'properties', 'id']);
});

test.each(['/leads', '/messages', '/appointments'])('the list %s is described as JSON, NDJSON and CSV', (path) => {
  const { content } = document.paths[path]?.get?.responses[200] ?? {};
  expect(Object.keys(content ?? {})).toEqual(['application/json', 'application/x-ndjson', 'text/csv']);
});

test('the summary is described as JSON and as CSV, and its dates use formats of JSON Schema', () => {
  const described = document.paths['/reports/summary']?.get;
  expect(Object.keys(described?.responses[200]?.content ?? {})).toEqual(['application/json', 'text/csv']);
  expect(described?.responses[200]).toHaveProperty(['headers', 'Vary']);
  expect(described?.parameters.find(({ name }) => name === 'from')).toHaveProperty('schema', {
    type: 'string',
    maxLength: 40,
    pattern: expect.any(String),
  });
  expect(JSON.stringify(document)).not.toContain('date-or-date-time');
});

test.each([
  ['2027-01-31', true],
  ['2027-01-31T09:00:00Z', true],
  ['2027-01-31t09:00:00.25-03:00', true],
  ['2027-01-31T09:00:00', false],
  ['2027-13-31', false],
  ['31.01.2027', false],
])('the pattern of a report’s dates matches what the API accepts: %s, %s', (text, isAccepted) => {
  const from = document.paths['/reports/summary']?.get?.parameters.find(({ name }) => name === 'from');
  const { pattern } = (from as unknown as { schema: { pattern: string } }).schema;
  const faults = validateRequest(getSummaryReport, { query: { from: text } });
  expect([new RegExp(pattern).test(text), faults.length === 0]).toEqual([isAccepted, isAccepted]);
});

test('each resource schema is defined once and referenced', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Appointment', 'CalendarSync', 'Lead', 'Problem', 'Seller', 'Store']),
  );
  expect(
    document.paths['/appointments/{appointmentId}']?.get?.responses[200]?.content?.['application/json'],
  ).toMatchObject({
    schema: { $ref: '#/components/schemas/Appointment' },
  });
  const properties = Object.keys(document.components.schemas.Appointment?.properties ?? {});
  expect(properties).toEqual(Object.keys(schedulingOperations.createAppointment.reply.properties));
});

test('the document names the server, the version, and a key for every path except the calendar feed', () => {
  expect(document.servers[0]?.url).toBe('https://api.example.com/integrations/v1');
  expect(document.info).toMatchObject({ title: 'Mostrador', version: '1.0.0' });
  expect(document.security).toEqual([{ ApiKey: [] }]);
  const open = Object.entries(document.paths).filter(([, item]) => Object.values(item).some((each) => each.security));
  expect(open.map(([path]) => path)).toEqual(['/calendars/{token}.ics']);
});

test.each(feedTypes)('the webhook %s has the schema of exactly this event, and the headers of a signature', (type) => {
  const { webhooks } = document as unknown as { webhooks: Record<FeedType, { post: Webhook }> };
  const described = webhooks[type].post;
  expect(described).toMatchObject({ description: feedCatalogue[type].description, 'x-extension': true });
  const name = described.requestBody.content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
  const { schemas } = document.components as unknown as {
    schemas: Record<string, { properties: Record<string, { const?: string; $ref?: string }>; required: string[] }>;
  };
  expect(name.toLowerCase()).toBe(`${type.replaceAll(/[._]/g, '')}event`);
  expect(Object.keys(schemas[name]?.properties ?? {})).toEqual(Object.keys(Event.properties));
  expect(schemas[name]?.properties.type?.const).toBe(type);
  expect(Object.keys(schemas[`${name}Data`]?.properties ?? {})).toEqual(Object.keys(feedDataSchema(type).properties));
  // An endpoint with the payload `thin` gets no object.
  expect(schemas[`${name}Data`]?.required).toEqual(Object.keys(feedCatalogue[type].ids.properties));
  const headers = described.parameters.map(({ name }) => name);
  expect(headers).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
});

test('the catalogue and the test of an endpoint are all of the section `webhooks`', () => {
  expect(Object.keys(document.webhooks as object)).toEqual([...feedTypes, 'webhook.test']);
  expect(document.components.schemas.WebhookTestEventData).toMatchObject({ required: ['endpoint_id'] });
});

test('the stream is described as server-sent events, with what begins it and filters it', () => {
  const described = document.paths['/events/stream']?.get;
  expect(Object.keys(described?.responses[200]?.content ?? {})).toEqual(['text/event-stream']);
  expect(described?.parameters.map(({ name }) => name)).toEqual(['after', 'types', 'entity_id', 'Last-Event-ID']);
  expect(described?.responses[410]).toMatchObject({ $ref: '#/components/responses/Gone' });
  expect(described?.security).toBeUndefined();
});
