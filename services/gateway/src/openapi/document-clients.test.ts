import { expect, test } from 'vitest';
import { remarksOf } from '../../test/redocly.ts';
import { routes } from '../routes/index.ts';
import { type ApiDocument, createApiDocument } from './document.ts';

// What client generators need. `npm run clients` generates, compiles and calls the clients themselves.

type Part = { readonly [member: string]: unknown };
type Place = { readonly path: string; readonly part: Part };

const document = createApiDocument(routes, { publicUrl: 'https://api.mostrador.test' }) as ApiDocument & {
  components: Record<string, Record<string, Part>>;
};
const { schemas = {}, responses = {} } = document.components;

/** Every object of the document with its place. Examples are data, not schemas. */
function* placesIn(value: unknown, path = '#'): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { path, part: value as Part };
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'examples' && name !== 'example') yield* placesIn(member, `${path}/${name}`);
  }
}

const places = [...placesIn(document)];
const isNamed = (path: string) => /^#\/components\/schemas\/\w+$/.test(path);
const isHeader = (path: string) => /^#\/components\/headers\/\w+\/schema$/.test(path);
const placesOf = (isWrong: (place: Place) => boolean) => places.filter(isWrong).map(({ path }) => path);

test('each object and each enum is a named schema: a new one needs a `title`', () => {
  const unnamed = placesOf(
    ({ path, part }) =>
      !isNamed(path) && !isHeader(path) && ('enum' in part || (part.type === 'object' && 'properties' in part)),
  );
  expect(unnamed).toEqual([]);
});

test('requests, lists, enums and problems have names that people expect', () => {
  const expected = [
    'CreateLeadRequest',
    'Lead',
    'LeadList',
    'LeadStatus',
    'Problem',
    'SendMessageResponse',
    'StoreTier',
  ];
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(expected));
  for (const name of Object.keys(schemas)) expect(name).toMatch(/^([A-Z][a-z]+)+$/);
});

test('no schema has the name of the constructor that Go makes for another, such as `NewLead` for `Lead`', () => {
  const constructors = new Set(Object.keys(schemas).map((name) => `New${name}`));
  expect(Object.keys(schemas).filter((name) => constructors.has(name))).toEqual([]);
});

test('each named schema and response is used', () => {
  const used = new Set(places.map(({ part }) => part.$ref));
  const defined = Object.entries(document.components).flatMap(([kind, each]) =>
    kind === 'securitySchemes' ? [] : Object.keys(each).map((name) => `#/components/${kind}/${name}`),
  );
  expect(defined.filter((reference) => !used.has(reference))).toEqual([]);
});

test('null stands beside a reference or in the type of a plain value, never in an enum or in the type of an object', () => {
  const lost = placesOf(({ part }) => {
    const types = Array.isArray(part.type) ? part.type : [];
    const words = Array.isArray(part.enum) ? part.enum : [];
    return (types.includes('null') && types.includes('object')) || words.includes(null);
  });
  expect(lost).toEqual([]);
  expect(schemas.SendMessageResponse).toHaveProperty('properties.error', {
    anyOf: [{ $ref: '#/components/schemas/Failure' }, { type: 'null' }],
  });
  const alternatives = places.flatMap(({ part }) => (part.anyOf ? [part.anyOf] : []));
  for (const alternative of alternatives) expect(alternative).toEqual([{ $ref: expect.any(String) }, { type: 'null' }]);
});

test('no object has more than nine required members with an underscore', () => {
  // openapi-generator's typescript-fetch asks for each such member under two names. TypeScript keeps a union of all
  // combinations, and gives up at the tenth (TS2590). A member that is added to a full object is optional in the document.
  const tooMany = Object.entries(schemas).filter(
    ([, { required = [] }]) => (required as readonly string[]).filter((name) => name.includes('_')).length > 9,
  );
  expect(tooMany.map(([name]) => name)).toEqual([]);
});

test('the only constant is the type of an event: generators turn others into an enum of strings', () => {
  const isEventType = (path: string) => /^#\/components\/schemas\/\w+Event\/properties\/type$/.test(path);
  expect(placesOf(({ path, part }) => 'const' in part && !isEventType(path))).toEqual([]);
  expect(schemas.DeleteSellerResponse).toHaveProperty('properties.deleted', {
    type: 'boolean',
    description: 'Always `true`.',
  });
});

test('a parameter with a named enum has nothing beside the reference, and its default in the text', () => {
  const parameters = places.filter(({ part }) => 'in' in part && 'schema' in part).map(({ part }) => part);
  for (const { schema } of parameters)
    if (Object.hasOwn(schema as Part, '$ref')) expect(Object.keys(schema as Part)).toEqual(['$ref']);
  expect(parameters.filter(({ name }) => name === 'sort')).toContainEqual({
    in: 'query',
    name: 'sort',
    required: false,
    description: 'The order of the list. Default: `-created_at`.',
    example: 'updated_at',
    schema: { $ref: '#/components/schemas/LeadSort' },
  });
});

test('the constants of all enums are distinct, because they share one namespace in Go', () => {
  const enums = Object.entries(schemas).filter(([, schema]) => 'enum' in schema);
  const constants = enums.flatMap(([, schema]) => schema['x-enum-varnames'] as string[]);
  expect(constants).toHaveLength(enums.flatMap(([, schema]) => schema.enum as string[]).length);
  expect(constants).toEqual([...new Set(constants)]);
  for (const constant of constants) expect(constant).toMatch(/^[A-Z][A-Z0-9_]+$/);
  expect(schemas.LeadSort).toMatchObject({
    enum: ['-created_at', 'created_at', 'updated_at', '-updated_at'],
    'x-enum-varnames': [
      'LEAD_SORT_CREATED_AT_DESC',
      'LEAD_SORT_CREATED_AT',
      'LEAD_SORT_UPDATED_AT',
      'LEAD_SORT_UPDATED_AT_DESC',
    ],
  });
});

test('no member of an object has a default beside its text: openapi-typescript would make it required', () => {
  expect(placesOf(({ path, part }) => /\/properties\/\w+$/.test(path) && 'default' in part)).toEqual([]);
  expect(schemas.CreateLeadRequest).toHaveProperty('properties.status', {
    $ref: '#/components/schemas/LeadStatus',
    description: expect.stringMatching(/Default: `pending`\.$/),
  });
});

test('each operation tells the generator for Java to name its parameters', () => {
  const operations = places.filter(({ path }) => /^#\/paths\/[^#]+\/(get|post|put|patch|delete)$/.test(path));
  expect(operations.length).toBeGreaterThan(routes.length);
  const calendarFeed = 'calendars.feed';
  expect(operations.filter(({ part }) => !part['x-group-parameters']).map(({ part }) => part.operationId)).toEqual([
    calendarFeed,
  ]);
});

test('operations share one error response a status, and its problem has typed members', () => {
  const failures = places.filter(({ path }) => /^#\/paths\/.+\/responses\/[45]\d\d$/.test(path));
  expect(failures.length).toBeGreaterThan(routes.length);
  for (const { part } of failures) expect(part.$ref).toMatch(/^#\/components\/responses\/\w+$/);
  const bodies = Object.values(responses).map((each) => each.content as Record<string, { schema: Part }>);
  for (const body of bodies)
    expect(body['application/problem+json']?.schema.$ref).toMatch(/^#\/components\/schemas\/\w*Problem$/);
  expect(schemas.ConflictProblem).toHaveProperty('properties.id.format', 'uuid');
  expect(schemas.ConflictProblem).toHaveProperty('properties.current_status.type', 'string');
  expect(schemas.PermissionProblem).toHaveProperty('properties.required_tier.$ref', '#/components/schemas/StoreTier');
  expect(schemas.ValidationProblem).toHaveProperty(
    'properties.errors.items.$ref',
    '#/components/schemas/ValidationFault',
  );
  expect(schemas.Problem).toMatchObject({ required: ['type', 'title', 'status', 'detail', 'code', 'request_id'] });
});

test('Redocly has no remark by its recommended rules', async () => {
  expect(await remarksOf(document, 'recommended')).toEqual([]);
});
