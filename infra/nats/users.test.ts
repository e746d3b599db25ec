import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import * as contracts from '../../packages/contracts/src/index.ts';
import { natsUsers } from '../../packages/platform/src/servers.ts';
import { roles } from './users.ts';
import { usersConf } from './users-conf.ts';

const root = resolve(import.meta.dirname, '../..');
const sourceOf = { admin: 'apps/admin/src', workflows: 'workflows/src' } as Record<string, string>;

/** The subjects of the operations that a folder's code calls, found in calls and in tables of operations. */
function subjectsCalledIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing/'),
  );
  const code = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const found = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name]) => name ?? '');
  const known = contracts as unknown as Record<string, { subject?: string } | undefined>;
  const byName = found(/(?:\.(?:call|forward)\(\s*(?=\w+,)|callForStore\(admin, |: (?=\w+[, ]))(\w+)/g).map(
    (name) => known[name]?.subject,
  );
  const ofReports = found(/rollupOperations\[\w+\]\.(\w+)/g).flatMap((kind) =>
    Object.values(contracts.rollupOperations).map((operations) => operations[kind as keyof typeof operations].subject),
  );
  return [...new Set([...byName, ...ofReports].filter((subject) => subject !== undefined))].sort();
}

test('users.conf equals the generated text: run infra/nats/write-users.ts after a change', () => {
  expect(readFileSync(join(import.meta.dirname, 'users.conf'), 'utf8')).toBe(usersConf());
});

test.each(natsUsers)('%s may call exactly the internal operations that its code calls', (user) => {
  const called = subjectsCalledIn(join(root, sourceOf[user] ?? `services/${user}/src`));
  const isForItsAudience = (subject: string) =>
    (roles[user].audiences ?? []).some((audience) => subject.split('.')[1] === audience);
  const asked = (roles[user].asks ?? []).map(({ subject }) => subject).sort();
  expect(called.filter((subject) => !isForItsAudience(subject))).toEqual(asked);
});
