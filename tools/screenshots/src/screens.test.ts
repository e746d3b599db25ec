import { expect, test } from 'vitest';
import { screensOf, screensOfLead } from './screens.ts';

const source = `
  { entries: [{ to: '/inbox', icon: Inbox, label: m.inbox }] },
  { label: m.integrations, entries: [{ to: '/integrations/keys', icon: KeyRound, roles: ['owner'] }] },
  readonly to: LinkProps['to'];`;

test('every screen of the navigation has pictures, in its order', () => {
  expect(screensOf(source)).toEqual([
    { name: 'inbox', path: '/inbox' },
    { name: 'integrations-keys', path: '/integrations/keys' },
  ]);
});

test('a lead and a thread have pictures when their lists exist', () => {
  expect(screensOfLead(screensOf(source), { main: 'id', kinds: 'other' })).toMatchObject([
    { name: 'thread', path: '/inbox/id' },
    { name: 'kinds', path: '/inbox/other' },
  ]);
});

test('a navigation that cannot be read is an error, and no empty folder', () => {
  expect(() => screensOf('')).toThrow('names no screen');
});
