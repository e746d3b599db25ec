import { QueriesObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { namesQuery } from './lead-names.ts';

test('one lead more hides no name that is known', () => {
  const client = new QueryClient();
  const [ana, bia] = [
    { id: 'a', name: 'Ana' },
    { id: 'b', name: 'Bia' },
  ];
  client.setQueryData(namesQuery(client, ['a', 'b']).queryKey, [ana, bia]);
  const shown = new QueriesObserver(client, [namesQuery(client, ['a', 'c'])]).getCurrentResult();
  expect(shown[0]?.data).toEqual([ana]);
});
