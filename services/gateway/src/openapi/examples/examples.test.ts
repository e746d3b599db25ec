import { type ErrorCode, errorCatalogue, type FeedType, feedDataSchema, feedTypes } from '@mostrador/contracts';
import { compile } from '@mostrador/kit/schema/compile';
import { formats } from '@mostrador/kit/schema/formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { requestReader } from '../../requests/read-request.ts';
import { routes } from '../../routes/index.ts';
import { type ApiDocument, createApiDocument } from '../document.ts';
import { exampleProblem } from '../errors.ts';
import { exampleEvent } from './events.ts';
import { exampleOf } from './index.ts';

type Content = Readonly<Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>>;
type Described = {
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
  parameters: { name: string; in: string; required: boolean; schema: object; example?: unknown }[];
};
const document = createApiDocument(routes, { publicUrl: 'https://api.example.com' }) as ApiDocument & {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, { post: { parameters: Described['parameters']; requestBody: { content: Content } } }>;
  components: { responses: Record<string, { content: Content }> };
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'servers')
    .map(([method, described]) => ({ name: `${method.toUpperCase()} ${path}`, described })),
);

const ajv = new Ajv2020({ allErrors: true, strict: false, formats: formats as never });
ajv.addSchema({ ...document, $id: 'https://api.example.com/openapi.json' } as never);
/** The faults of a value by a schema of the document. */
function faultsOf(schema: object, value: unknown): unknown {
  const absolute = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"https://api.example.com/openapi.json#/components/'),
  );
  const check = ajv.compile(absolute);
  return check(value) ? [] : check.errors;
}

/** Every media type has examples that match its schema. */
function expectExamples(content: Content, where: string): void {
  for (const [type, { schema, examples = {} }] of Object.entries(content)) {
    expect(Object.keys(examples).length, `${where} ${type} has no example`).toBeGreaterThan(0);
    for (const { value } of Object.values(examples)) expect(faultsOf(schema, value), `${where} ${type}`).toEqual([]);
  }
}

describe.each(operations)('$name', ({ described }) => {
  test('its request body and each successful response have examples that match the schemas', () => {
    if (described.requestBody) expectExamples(described.requestBody.content, 'the request');
    const successes = Object.entries(described.responses).filter(([status]) => status.startsWith('2'));
    expect(successes.length).toBeGreaterThan(0);
    for (const [status, { content }] of successes) expectExamples(content ?? {}, status);
  });

  test('every required parameter has an example, and each example matches its schema', () => {
    for (const { name, in: place, required, schema, example } of described.parameters) {
      if (required) expect(example, `${place} ${name}`).toBeDefined();
      if (example !== undefined) expect(faultsOf(schema, example), name).toEqual([]);
    }
  });
});

test.each(routes)(
  '$method $path: the gateway accepts the request of the example, and a service may answer it',
  (route) => {
    const found = exampleOf(route.operation);
    if (found === undefined) throw new Error(`${route.operation.subject} has no example`);
    const { params = {}, query = {}, body } = structuredClone(found.request) as Record<string, never>;
    const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const read = requestReader(route);
    expect(() => read({ params, query: texts, body, headers: {}, rawHeaders: [], country: 'BR' })).not.toThrow();
    expect(compile(route.operation.reply)(structuredClone(found.reply))).toEqual([]);
  },
);

test.each(feedTypes)(
  'the example of the event %s matches its schema, and its data all that the type says',
  (type: FeedType) => {
    const { content } = document.webhooks[type]?.post.requestBody ?? { content: {} };
    expectExamples(content, type);
    const { data, sequence } = exampleEvent(type);
    expect(Object.keys(data).sort()).toEqual(Object.keys(feedDataSchema(type).properties).sort());
    expect(sequence).toBeGreaterThan(0);
  },
);

test('the example of the test of an endpoint matches its schema', () => {
  expectExamples(document.webhooks['webhook.test']?.post.requestBody.content ?? {}, 'webhook.test');
});

test('the examples of the events are in one order by time and by sequence', () => {
  const events = feedTypes.map(exampleEvent).sort((one, other) => one.sequence - other.sequence);
  expect(events.map(({ sequence }) => sequence)).toEqual(feedTypes.map((_, index) => index + 1));
  expect(events.map(({ created_at }) => created_at)).toEqual(events.map(({ created_at }) => created_at).toSorted());
  expect(new Set(events.map(({ id }) => id)).size).toBe(feedTypes.length);
});

test.each(Object.entries(document.components.responses))(
  'the examples of the error response %s match its schema',
  (name, { content }) => {
    expectExamples(content, name);
  },
);

test.each(Object.keys(errorCatalogue) as ErrorCode[])(
  'the problem document on the page of %s matches its schema',
  (code) => {
    const problem = exampleProblem(code, 'https://api.example.com');
    expect(faultsOf({ $ref: '#/components/schemas/Problem' }, problem)).toEqual([]);
  },
);

test('an example that does not match its schema is found', () => {
  expect(faultsOf({ $ref: '#/components/schemas/Lead' }, { id: 'x' })).not.toEqual([]);
  expect(() => expectExamples({ 'text/csv': { schema: {} } }, 'nothing')).toThrow('has no example');
});
