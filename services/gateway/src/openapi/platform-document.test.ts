import { expect, test } from 'vitest';
import { remarksOf } from '../../test/redocly.ts';
import { accountRoutes, personRoutes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { createPlatformDocument } from './platform-document.ts';

const document = createPlatformDocument([...accountRoutes, ...personRoutes], { publicUrl: 'https://api.example.com' });
type Paths = Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
const paths = document.paths as Paths;

test('the document of what people do is valid OpenAPI', async () => {
  expect(await remarksOf(document, 'spec')).toEqual([]);
});

test('it has every route, and 204 without content', () => {
  for (const { method, path, status } of [...accountRoutes, ...personRoutes]) {
    const operation = paths[documentedPath(path)]?.[method.toLowerCase()];
    expect(operation?.responses[status]?.content !== undefined, `${method} ${path}`).toBe(status !== 204);
  }
});

test.each(['session_token', 'attempt_token'])('it never shows a %s, which only a cookie has', (token) => {
  expect(JSON.stringify(document)).not.toContain(token);
});
