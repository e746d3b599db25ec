import { queryOptions } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { keep, queries } from './queries.ts';

test('an answer to a change stays when a reading that began before it ends after it', async () => {
  const answers: ((found: string) => void)[] = [];
  const query = queryOptions({
    queryKey: ['kept'],
    queryFn: () => new Promise<string>((answer) => answers.push(answer)),
  });
  queries.setQueryData(query.queryKey, 'not connected');
  const reading = queries.fetchQuery({ ...query, staleTime: 0 }).catch(() => {});
  await keep(query, 'connected');
  answers[0]?.('not connected');
  await reading;
  expect(answers).toHaveLength(1);
  expect(queries.getQueryData(query.queryKey)).toBe('connected');
});
