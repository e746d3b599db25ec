import { expect, test } from 'vitest';
import { changeOf, conflictsOf, type Draft, readTags, resolved } from './lead-draft.ts';

const base: Draft = {
  name: 'Ana',
  customer_phone: '5511961234567',
  status: 'pending',
  seller_id: null,
  email: null,
  external_id: null,
  tags: ['vip'],
};

test('only what a person has changed is sent', () => {
  expect(changeOf(base, { ...base, name: 'Ana Lima', tags: ['vip'] })).toEqual({ name: 'Ana Lima' });
  expect(changeOf(base, base)).toEqual({});
});

test('what two people have changed differently is a conflict, and nothing else is', () => {
  const mine = { name: 'Ana Lima', status: 'lost', email: 'ana@example.com' } as const;
  const theirs: Draft = { ...base, name: 'Ana Souza', status: 'lost', tags: [] };
  expect(conflictsOf(base, theirs, mine)).toEqual(['name']);
});

test('what they shall keep, and what is as they have it, is not sent', () => {
  const mine = { name: 'Ana Lima', status: 'lost', email: 'ana@example.com' } as const;
  const theirs: Draft = { ...base, name: 'Ana Souza', status: 'lost' };
  expect(resolved(theirs, mine, new Set())).toEqual({ name: 'Ana Lima', email: 'ana@example.com' });
  expect(resolved(theirs, mine, new Set(['name'] as const))).toEqual({ email: 'ana@example.com' });
});

test('tags are read with their spaces, without empty ones and those that differ only in case', () => {
  expect(readTags(' new client, vip,, vip ,')).toEqual(['new client', 'vip']);
  expect(readTags('VIP, vip, Água, ÁGUA, agua')).toEqual(['VIP', 'Água', 'agua']);
  expect(readTags('')).toEqual([]);
});
