import { expect, test } from 'vitest';
import { readEventSearch, typesOf } from './event-search.ts';

test('a filter is one type, or all types of what they are about', () => {
  expect(typesOf('lead.created')).toEqual(['lead.created']);
  expect(typesOf('session')).toEqual(['session.started', 'session.ended']);
  expect(typesOf('lea')).toBeUndefined();
  expect(typesOf('')).toBeUndefined();
});

test('what an address has of another kind is left out', () => {
  const id = '0190b6a2-7c3e-7d4f-8a5b-1c2d3e4f5a6b';
  expect(readEventSearch({ type: 'lead', entity: id, event: id })).toEqual({ type: 'lead', entity: id, event: id });
  expect(readEventSearch({ type: 'no.such', entity: '<img>', event: 7 })).toEqual({});
});
