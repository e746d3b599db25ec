import { expect, test } from 'vitest';
import { kinds, languages, readConversations, readSimulations, readStores } from './conversation.ts';

const conversations = readConversations();

test('there are 60 conversations, each with an id of its own', () => {
  expect(new Set(conversations.map(({ id }) => id)).size).toBe(60);
});

test.each(kinds)('the kind %s has a conversation in every language', (kind) => {
  const found = conversations.filter((one) => one.kind === kind).map(({ language }) => language);
  expect(new Set(found)).toEqual(new Set(languages));
});

test('customers whom a model plays are in every language and kind but voice, and each has a goal', () => {
  const simulations = readSimulations();
  expect(new Set(simulations.map(({ id }) => id)).size).toBe(21);
  expect(new Set(simulations.map(({ kind }) => kind))).toEqual(new Set(kinds.filter((kind) => kind !== 'voice')));
  for (const { id, persona, goal, ends } of simulations) {
    expect([id, persona.length > 0, goal.length > 0, Object.keys(ends).length > 0]).toEqual([id, true, true, true]);
  }
});

test('every source that an ending names is a document of the store', () => {
  const stores = readStores();
  for (const { id, language, ends } of [...conversations, ...readSimulations()]) {
    if (ends.cites === undefined) continue;
    expect(
      stores[language].documents.map(({ title }) => title),
      id,
    ).toContain(ends.cites);
  }
});
