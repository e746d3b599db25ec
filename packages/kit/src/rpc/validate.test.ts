import {
  assistantOperations,
  crmOperations,
  defineOperation,
  Exact,
  feedTypes,
  gatewayOperations,
  listEvents,
  messagingOperations,
  NullableEmail,
  NullableMetadata,
  NullableTags,
  NullableText,
  NullableTimestamp,
  OneOf,
  type Operation,
  operations,
  Phone,
  schedulingOperations,
  Text,
  Uuid,
} from '@mostrador/contracts';
import { type TSchema, Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../schema/compile.ts';
import { serializeReply } from './reply.ts';
import { validateRequest } from './validate.ts';

const faultsOf = (schema: TSchema, value: unknown) => compile(Exact({ it: schema }))({ it: value });
const detailOf = (schema: TSchema, value: unknown) => {
  const faults = faultsOf(schema, value);
  expect(faults.map(({ pointer }) => pointer)).toEqual(['#/it']);
  return faults[0]?.detail;
};

describe('a range of a query', () => {
  const ranged = Object.values(operations).filter(
    ({ request: { query } }) => query?.properties.from !== undefined && query.properties.to !== undefined,
  );
  /** They read dates in a time zone, and have the same rule for them. */
  const withDates = ['gateway.api.reports.summary', 'gateway.api.reports.lead', 'assistant.api.usage.get'];
  const inMoments = ranged.filter(({ subject }) => !withDates.includes(subject));

  test('is checked here, or read by an operation that knows the time zone', () => {
    expect(inMoments.filter(({ request: { query } }) => query?.properties.from?.format !== 'date-time')).toEqual([]);
    expect(inMoments.length).toBeGreaterThanOrEqual(5);
  });

  test.each(inMoments)('of $subject does not end before it begins', (operation) => {
    const faultsOfQuery = (from: string, to: string) =>
      validateRequest(operation, {
        query: {
          from,
          to,
          ...('duration_minutes' in (operation.request.query?.properties ?? {}) && { duration_minutes: 30 }),
        },
      });
    const fault = { in: 'query', name: 'to', detail: 'must not be before `from`' };
    expect(faultsOfQuery('2027-01-31T10:00:00Z', '2027-01-31T09:59:59Z')).toEqual([fault]);
    expect(faultsOfQuery('2027-01-31T10:00:00Z', '2027-01-31T11:00:00+01:01')).toEqual([fault]);
    expect(faultsOfQuery('2027-01-31T10:00:00Z', '2027-01-31T11:00:00+01:00')).toEqual([]);
    expect(faultsOfQuery('2027-01-31T10:00:00Z', '2027-01-31T09:30:00-01:00')).toEqual([]);
  });
});

test('the faults of metadata name the member, and tell its name from its text', () => {
  const long = 'x'.repeat(41);
  expect(faultsOf(NullableMetadata, { [long]: 'a', '': 'b', ok: 'y'.repeat(501), no: 1 })).toEqual([
    { pointer: `#/it/${long}`, detail: 'its name must have at most 40 characters' },
    { pointer: '#/it/', detail: 'its name must not be empty' },
    { pointer: '#/it/ok', detail: 'must have at most 500 characters' },
    { pointer: '#/it/no', detail: 'must be a string or null' },
  ]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, '']));
  expect(faultsOf(NullableMetadata, many)).toEqual([{ pointer: '#/it', detail: 'must have at most 50 members' }]);
});

test('a tag is trimmed, and has no comma', () => {
  const request = { it: [' vip ', 'olá você'] };
  expect(compile(Exact({ it: NullableTags }))(request)).toEqual([]);
  expect(request.it).toEqual(['vip', 'olá você']);
  const form = 'must be a tag without a comma';
  expect(faultsOf(NullableTags, ['a,b', 'x'.repeat(41)])).toEqual([
    { pointer: '#/it/0', detail: form },
    { pointer: '#/it/1', detail: 'must have at most 40 characters' },
  ]);
  expect(faultsOf(NullableTags, [' '])).toContainEqual({ pointer: '#/it/0', detail: 'must not be empty' });
  const tags = Array.from({ length: 31 }, (_, n) => `${n}`);
  expect(faultsOf(NullableTags, tags)).toEqual([{ pointer: '#/it', detail: 'must have at most 30 elements' }]);
});

test('a filter with several values names the first one that it does not know', () => {
  const { types } = listEvents.request.query.properties;
  expect(faultsOf(types, 'lead.created,lead.updated')).toEqual([]);
  for (const [value, unknown] of [
    ['lead.created,lead.exploded,x', 'the unknown value `lead.exploded`'],
    ['lead.created, lead.updated', 'the unknown value ` lead.updated`'],
    ['lead.created,', 'an empty value'],
    // What may be personal or secret is not repeated.
    ['lead.created,5511900000001', 'an unknown value in place 2'],
    ['Ana Souza', 'an unknown value in place 1'],
  ] as const) {
    expect(detailOf(types, value)).toBe(`has ${unknown}; must be one or several of: ${feedTypes.join(', ')}`);
  }
});

describe('each kind of fault has a readable detail', () => {
  const cases: [what: string, schema: TSchema, value: unknown, detail: string][] = [
    ['type', Type.String(), 60, 'must be a string'],
    ['type, vowel', Type.Integer(), '60', 'must be an integer'],
    ['type of two', Type.Unsafe({ type: ['string', 'null'] }), 1, 'must be a string or null'],
    ['no coercion of booleans', Type.Boolean(), 'true', 'must be a boolean'],
    ['integer', Type.Integer(), 1.5, 'must be an integer'],
    ['enum', OneOf(['scheduled', 'done']), 'gone', 'must be one of: scheduled, done'],
    ['enum of another type', OneOf(['scheduled', 'done']), 7, 'must be one of: scheduled, done'],
    ['enum with null', Type.Unsafe({ type: ['string', 'null'], enum: ['a', null] }), 'b', 'must be one of: a, null'],
    ['const', Type.Literal('x'), 'y', 'must be x'],
    ['empty', Text(200), '', 'must not be empty'],
    ['blank', Text(200), ' \t\n', 'must not be empty'],
    ['minLength', Type.String({ minLength: 2 }), 'a', 'must have at least 2 characters'],
    ['maxLength', Text(200), 'x'.repeat(201), 'must have at most 200 characters'],
    ['maxLength of one', Type.String({ maxLength: 1 }), 'ab', 'must have at most 1 character'],
    ['minimum', Type.Integer({ minimum: 1 }), 0, 'must be at least 1'],
    ['maximum', Type.Integer({ maximum: 1440 }), 1441, 'must be at most 1440'],
    ['exclusiveMinimum', Type.Number({ exclusiveMinimum: 0 }), 0, 'must be greater than 0'],
    ['exclusiveMaximum', Type.Number({ exclusiveMaximum: 1 }), 1, 'must be less than 1'],
    ['multipleOf', Type.Integer({ multipleOf: 5 }), 7, 'must be a multiple of 5'],
    ['minItems', Type.Array(Type.String(), { minItems: 1 }), [], 'must have at least 1 element'],
    ['maxItems', Type.Array(Type.String(), { maxItems: 2 }), ['a', 'b', 'c'], 'must have at most 2 elements'],
    [
      'uniqueItems',
      Type.Array(Type.String(), { uniqueItems: true }),
      ['a', 'a'],
      'must not have the same element twice',
    ],
    ['minProperties', Exact({}, { minProperties: 1 }), {}, 'must have at least 1 member'],
    ['format uuid', Uuid, 'x', 'must be a UUID'],
    ['format email', NullableEmail, 'ana@', 'must be an email address, such as ana@example.com'],
    ['format time-zone', Type.String({ format: 'time-zone' }), 'Mars/Base', /IANA time zone/.source],
    ['format locale', Type.String({ format: 'locale' }), 'not a locale', /language tag/.source],
    ['format uri', Type.String({ format: 'uri' }), '/path', /absolute address/.source],
    ['a lost plus', NullableTimestamp, '2027-01-31T09:00:00 03:00', 'write `+` as `%2B`'],
    ['format date-time', NullableTimestamp, '2027-02-31T09:00:00Z', /real date and time with an offset/.source],
    ['pattern', Phone, '12', 'must be a phone number in digits'],
    ['pattern without a fault', Type.String({ pattern: '^a$' }), 'b', 'does not have the right form: ^a$'],
    ['NUL', Text(200), 'a\0b', 'must not contain the character NUL'],
    ['NUL in a string without the keyword text', Type.String(), '\0', 'must not contain the character NUL'],
    ['lone surrogate', NullableText(200), 'a\ud800b', 'must be well-formed Unicode'],
  ];
  test.each(cases)('%s', (_what, schema, value, detail) => {
    expect(detailOf(schema, value)).toContain(detail);
  });

  test('a missing member is named by its own path', () => {
    expect(compile(Exact({ title: Text(9), 'a/b': Text(9) }))({})).toEqual([
      { pointer: '#/title', detail: 'is required' },
      { pointer: '#/a~1b', detail: 'is required' },
    ]);
  });

  test('an invalid member name is one fault, at the member’s own path', () => {
    const pointer = '#/a%00b';
    expect(compile(Type.Record(Type.String(), Type.Unknown()))({ 'a\0b': 1 })).toEqual([
      { pointer, detail: 'its name must not contain the character NUL' },
    ]);
    expect(compile(Exact({}))({ 'a\0b': 1 })).toEqual([{ pointer, detail: 'is not a member of this object' }]);
  });

  test('an unknown member is named by its own path', () => {
    expect(compile(Exact({}))({ 'a b/c': 1 })).toEqual([
      { pointer: '#/a%20b~1c', detail: 'is not a member of this object' },
    ]);
  });
});

describe('texts', () => {
  test('are trimmed before their length is checked', () => {
    const body = { it: `  ${'x'.repeat(200)}\n` };
    expect(compile(Exact({ it: Text(200) }))(body)).toEqual([]);
    expect(body.it).toBe('x'.repeat(200));
  });

  test('are counted in code points, as the database does', () => {
    expect(faultsOf(Text(2), '🦜🦜')).toEqual([]);
    expect(detailOf(Text(2), '🦜🦜🦜')).toBe('must have at most 2 characters');
  });

  test('may be null where null is allowed', () => {
    expect(faultsOf(NullableText(200), null)).toEqual([]);
  });

  test('that pass are trimmed, not empty, well-formed and without NUL', () => {
    const validate = compile(Exact({ it: Text(20) }));
    // Any code points, including lone surrogates. (fast-check's own unit `binary` takes seconds to start.)
    const texts = fc
      .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 30 })
      .map((points) => String.fromCodePoint(...points));
    fc.assert(
      fc.property(texts, (text) => {
        const value = { it: text };
        if (validate(value).length > 0) return;
        expect(value.it).toBe(text.trim());
        expect(value.it).not.toMatch(/^$|\0/);
        expect(value.it.isWellFormed()).toBe(true);
        expect([...value.it].length).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('a request', () => {
  const operation = defineOperation({
    subject: 'shop.api.things.update',
    summary: 'Change a thing',
    request: {
      params: Exact({ thingId: Uuid }),
      query: Exact({ limit: Type.Optional(Type.Integer({ default: 50, maximum: 200 })) }),
      body: Exact({ name: Text(20), tags: Type.Optional(Type.Array(Text(5))) }),
    },
    reply: Type.Object({}),
  });
  const thingId = '018f7b6c-0000-7000-8000-000000000001';

  test('gets all its faults at once, each with its location', () => {
    const request = { params: { thingId: '1' }, query: { limit: 201, 'so rt': 'x' }, body: { tags: ['ok', ''], x: 1 } };
    expect(validateRequest(operation, request)).toEqual([
      { in: 'path', name: 'thingId', detail: 'must be a UUID' },
      { in: 'query', name: 'so rt', detail: 'is not a parameter of this request' },
      { in: 'query', name: 'limit', detail: 'must be at most 200' },
      { pointer: '#/name', detail: 'is required' },
      { pointer: '#/x', detail: 'is not a member of this request' },
      { pointer: '#/tags/1', detail: 'must not be empty' },
    ]);
  });

  test('gets its defaults, even when the whole query is missing', () => {
    const request = { params: { thingId }, body: { name: 'x' }, query: undefined };
    expect(validateRequest(operation, request)).toEqual([]);
    expect(request.query).toEqual({ limit: 50 });
  });

  test('without its required body has a fault', () => {
    expect(validateRequest(operation, { params: { thingId } })).toEqual([{ pointer: '#', detail: 'is required' }]);
  });

  test.each([null, [], 'text', 7, true])('with the body %j has a fault', (body) => {
    expect(validateRequest(operation, { params: { thingId }, body })).toMatchObject([
      { pointer: '#', detail: 'must be an object' },
    ]);
  });

  test('with query parameters or a body of an operation without any has a fault for each member', () => {
    const plain = defineOperation({ subject: 's.api.a.b', summary: '', request: {}, reply: Type.Object({}) });
    expect(validateRequest(plain, { query: { page: 1 }, body: { unknown: true } })).toEqual([
      { in: 'query', name: 'page', detail: 'is not a parameter of this request' },
      { pointer: '#/unknown', detail: 'is not a member of this request' },
    ]);
    expect(validateRequest(plain, { query: {}, body: {} })).toEqual([]);
  });

  test('with a thousand faults lists fifty of them', () => {
    const unknown = () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member${i}`, 1]));
    expect(validateRequest(operation, { params: { thingId }, query: unknown(), body: unknown() })).toHaveLength(50);
  });

  test('is rejected below 64 levels, even where any JSON is valid', () => {
    const validate = compile(Exact({ it: Type.Unknown() }));
    const nested = (levels: number): unknown => (levels === 0 ? {} : [nested(levels - 1)]);
    expect(validate({ it: nested(62) })).toEqual([]);
    expect(validate({ it: nested(63) })).toMatchObject([{ detail: 'must not be nested more than 64 deep' }]);
  });

  test('with a very long member name lists it shortened', () => {
    const faults = validateRequest(operation, { params: { thingId }, body: { name: 'x', ['n'.repeat(100_000)]: 1 } });
    expect(JSON.stringify(faults).length).toBeLessThan(500);
  });

  test('nested deeper than the stack is rejected without a crash', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = i % 2 === 0 ? [deep] : { deep };
    const faults = validateRequest(operation, { params: { thingId }, body: { name: 'x', deep } });
    expect(faults).toContainEqual({ pointer: '#/deep', detail: 'is not a member of this request' });
  });

  test('of any JSON is accepted or has faults, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (query, body) => {
        const faults = validateRequest(operation, { params: { thingId }, query, body });
        expect(faults.every(({ detail }) => detail.length > 0)).toBe(true);
      }),
    );
  });
});

const everyOperation: readonly Operation[] = [
  gatewayOperations,
  crmOperations,
  schedulingOperations,
  messagingOperations,
  assistantOperations,
].flatMap((group) => Object.values(group) as Operation[]);

test('every number in a request has limits, so that a value beyond its column is a fault', () => {
  const unlimited = (schema: unknown, path: string): string[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    const { type, minimum, maximum } = schema as Record<string, unknown>;
    const isNumber = [type].flat().some((name) => name === 'integer' || name === 'number');
    const own = isNumber && (minimum === undefined || maximum === undefined) ? [path] : [];
    return [...own, ...Object.entries(schema).flatMap(([name, inner]) => unlimited(inner, `${path}/${name}`))];
  };
  expect(unlimited({ type: ['null', 'integer'], minimum: 0 }, 'one')).toEqual(['one']);
  expect(everyOperation.flatMap(({ subject, request }) => unlimited(request, subject))).toEqual([]);
});

test('the request and reply schemas of every operation compile', () => {
  for (const operation of everyOperation) {
    validateRequest(operation, { params: {}, query: {}, body: {} });
    // No object reply is empty, so the serializer misses a member and accepts the schema. A list may be empty.
    if (operation.reply.type === 'array') expect(serializeReply(operation, []).toString()).toBe('[]');
    else expect(() => serializeReply(operation, {}), operation.subject).toThrow(/is required/);
  }
});
