import { expect, test } from 'vitest';
import { kinds, languages, readConversations, readStores } from './conversation.ts';

const conversations = readConversations();

test('there are 60 conversations, each with an id of its own', () => {
  expect(new Set(conversations.map(({ id }) => id)).size).toBe(60);
});

test.each(kinds)('the kind %s has a conversation in every language', (kind) => {
  const found = conversations.filter((one) => one.kind === kind).map(({ language }) => language);
  expect(new Set(found)).toEqual(new Set(languages));
});

test('every source that an ending names is a document of the store', () => {
  const stores = readStores();
  for (const { id, language, ends } of conversations) {
    if (ends.cites === undefined) continue;
    expect(
      stores[language].documents.map(({ title }) => title),
      id,
    ).toContain(ends.cites);
  }
});
