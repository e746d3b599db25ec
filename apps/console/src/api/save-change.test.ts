import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { ChangedMeanwhile, saveChange } from './save-change.ts';

type Service = { name: string; minutes: number; people?: string[] };
const seen: Service = { name: 'Cut', minutes: 30 };

/** A server whose resource another person changes right before each of the writes that are given. */
function server(now: Service, ...meanwhile: Partial<Service>[]) {
  let row = now;
  let version = 1;
  return {
    seen,
    read: async () => ({ data: row, etag: String(version) }),
    write: async (change: Partial<Service>, etag: string) => {
      const theirs = meanwhile.shift();
      if (theirs) {
        row = { ...row, ...theirs };
        version += 1;
      }
      if (etag !== String(version)) throw new Failure('version_mismatch', 412, 'stale');
      row = { ...row, ...change };
      return row;
    },
  };
}

test('a change is saved on top of what others changed elsewhere, also between the read and the write', async () => {
  const saved = await saveChange({
    ...server({ ...seen, minutes: 45 }, { people: ['Ana'] }),
    change: { name: 'Cut!' },
  });
  expect(saved).toEqual({ name: 'Cut!', minutes: 45, people: ['Ana'] });
});

test.each([
  ['before it is read', server({ ...seen, name: 'Haircut' })],
  ['before it is written', server(seen, { name: 'Haircut' })],
])('a member that another person changed %s is not replaced, until the person has been told', async (_, there) => {
  const change = { name: 'Cut!' };
  const refused = await saveChange({ ...there, change }).catch((error) => error);
  expect(refused).toBeInstanceOf(ChangedMeanwhile);
  expect(await saveChange({ ...there, change, seen: refused.now })).toMatchObject({ name: 'Cut!' });
});

test('no change asks nothing, and another failure is passed on', async () => {
  const down = async () => {
    throw new Failure('offline', 0, 'down');
  };
  expect(await saveChange({ seen, change: {}, read: down, write: down })).toBe(seen);
  await expect(saveChange({ seen, change: { name: 'x' }, read: down, write: down })).rejects.toThrow('down');
});
