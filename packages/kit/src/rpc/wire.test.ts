import { expect, test } from 'vitest';
import { readEnvelope, wireHeaders, writeEnvelope } from './wire.ts';

const base = { requestId: 'r-1', deadline: 1_800_000_000_000 };

test.each([{ ifMatch: '"v1"' }, { ifNoneMatch: '*' }, {}])('the precondition %j arrives as it was sent', (sent) => {
  const { ifMatch, ifNoneMatch } = readEnvelope(writeEnvelope({ ...base, ...sent }));
  expect({ ifMatch, ifNoneMatch }).toEqual({ ifMatch: undefined, ifNoneMatch: undefined, ...sent });
});

test.each(['Ana', 'Caixa da Sé ☎️', 'two\r\nlines'])('the name %j of the actor arrives as it was sent', (actorName) => {
  expect(readEnvelope(writeEnvelope({ ...base, actorName })).actorName).toBe(actorName);
});

test.each([
  { userId: 'u', role: 'owner', sellerId: null },
  { userId: 'u', role: 'manager', sellerId: 's' },
  { userId: 'u', role: 'seller', sellerId: 's' },
] as const)('the person %j arrives as they were sent', (person) => {
  expect(readEnvelope(writeEnvelope({ ...base, person })).person).toEqual(person);
});

test.each([
  'x',
  '{}',
  '{"userId":"u","role":"admin","sellerId":null}',
  '{"userId":"u","role":"seller","sellerId":null}',
])('the person %s is an error: they must not become a caller without limits', (text) => {
  const written = writeEnvelope(base);
  written.set(wireHeaders.person, text);
  expect(() => readEnvelope(written)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

test.each([{}, { settles: true as const }])('a key arrives as it was sent, with %j', (more) => {
  const idempotency = { key: 'k', scope: 'POST /test', fingerprint: 'f', ...more };
  expect(readEnvelope(writeEnvelope({ ...base, idempotency })).idempotency).toEqual(idempotency);
});
