import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreCommands } from './restore-commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restore-'));
  mkdirSync(join(folder, 'main'));
  writeFileSync(join(folder, 'main/of-the-old-server'), '');
  mkdirSync(join(folder, 'base'), { mode: 0o755 });
  writeFileSync(join(folder, 'base/backup_label'), '');
  writeFileSync(join(folder, 'base/postgresql.auto.conf'), "work_mem = '8MB'\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const values = () => ({
  ...{ data: join(folder, 'main'), base: join(folder, 'base'), archive: '/backup/my wal' },
  moment: '2027-01-31 09:00:00+00',
  owner: `${process.getuid?.()}:${process.getgid?.()}`,
});
const restore = () => execFileSync('bash', ['-c', restoreCommands(values())], { stdio: 'pipe' });

test('the base backup takes the place of the old data, which is kept', () => {
  restore();
  expect(readdirSync(join(folder, 'main')).sort()).toEqual(['backup_label', 'postgresql.auto.conf', 'recovery.signal']);
  expect(readdirSync(join(folder, 'main.before'))).toEqual(['of-the-old-server']);
  expect(readFileSync(join(folder, 'main/postgresql.auto.conf'), 'utf8')).toBe(`work_mem = '8MB'
restore_command = 'cp "/backup/my wal/%f" "%p"'
recovery_target_time = '2027-01-31 09:00:00+00'
recovery_target_action = promote
`);
  expect(statSync(join(folder, 'main')).mode & 0o777).toBe(0o700);
});

test('nothing is changed while the server runs, or when the data of an earlier restore is there', () => {
  writeFileSync(join(folder, 'main/postmaster.pid'), '1');
  expect(restore).toThrow();
  rmSync(join(folder, 'main/postmaster.pid'));
  mkdirSync(join(folder, 'main.before'));
  expect(restore).toThrow();
  expect(readdirSync(join(folder, 'main'))).toEqual(['of-the-old-server']);
});
