import { expect, test } from 'vitest';
import type { StoreSettings, StoreSettingsChange } from '../api/platform.ts';
import { changed, conflictsOf, faultsOf, madeFrom, noChanges, type Window } from './settings-draft.ts';

const settings: StoreSettings = {
  ...{ name: 'Ótica', timezone: 'UTC', locale: 'pt-BR', country: null },
  ...{ message_wait_seconds: 5, session_idle_hours: 24, opt_out_stops_api: false },
  ...{ sending_windows: [], calendar_customer: false },
};
const window: Window = { weekdays: ['monday'], from: '09:00', to: '24:00' };

test('only what was changed is in the draft, with what it was', () => {
  const draft = changed(changed(noChanges, settings, 'country', 'BR'), settings, 'name', 'Ótica Sul');
  expect(draft).toEqual({ from: { country: null, name: 'Ótica' }, to: { country: 'BR', name: 'Ótica Sul' } });
});

test('what is again as it was is no change', () => {
  const there = changed(noChanges, settings, 'sending_windows', [window]);
  expect(changed(there, settings, 'sending_windows', [])).toEqual(noChanges);
  const country = changed(noChanges, settings, 'country', 'BR');
  expect(changed(country, { ...settings, locale: 'es' }, 'locale', 'es')).toEqual(country);
});

test('a conflict is what both have changed, and not to the same', () => {
  const draft = changed(changed(noChanges, settings, 'timezone', 'America/Lima'), settings, 'name', 'Ótica Sul');
  expect(conflictsOf(draft, { ...settings, locale: 'es' })).toEqual([]);
  expect(conflictsOf(draft, { ...settings, timezone: 'America/Lima' })).toEqual([]);
  const theirs = { ...settings, timezone: 'America/Bogota' };
  expect(conflictsOf(draft, theirs)).toEqual(['timezone']);
  expect(madeFrom(theirs, draft)).toEqual({
    from: { timezone: 'America/Bogota', name: 'Ótica' },
    to: { timezone: 'America/Lima', name: 'Ótica Sul' },
  });
  expect(conflictsOf(madeFrom(theirs, draft), theirs)).toEqual([]);
});

test.each<[StoreSettingsChange, string[]]>([
  [{}, []],
  [{ name: ' ' }, ['name']],
  [{ sending_windows: [] }, []],
  [{ sending_windows: [window] }, []],
  [{ sending_windows: [window, { ...window, weekdays: [] }] }, ['sending_windows']],
  [{ sending_windows: [{ ...window, to: '09:00' }] }, ['sending_windows']],
  [{ sending_windows: [{ ...window, from: '18:00', to: '09:00' }] }, ['sending_windows']],
])('%j cannot be saved because of %j', (to, members) => {
  expect(faultsOf({ from: {}, to })).toEqual(members);
});
