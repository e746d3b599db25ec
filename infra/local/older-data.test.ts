import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepOlderDataAside } from './older-data.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-older-data-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = () => keepOlderDataAside(folder, (text) => said.push(text));
const writeData = (version: string) => {
  for (const name of ['postgres', 'temporal']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'data'), version);
  }
};

test('data from before the first release is moved aside whole, and the start says where it is', () => {
  writeData('older');
  writeFileSync(join(folder, 'secrets.json'), '{}');
  start();
  const aside = join(folder, 'before-0.2.0');
  expect(readdirSync(aside)).toEqual(['postgres', 'temporal']);
  expect(readFileSync(join(aside, 'postgres/data'), 'utf8')).toBe('older');
  expect(said).toEqual([expect.stringContaining(`It is now in ${aside}, and this start begins with no data.`)]);
  expect(readdirSync(folder).sort()).toEqual(['before-0.2.0', 'data-version', 'secrets.json']);
});

test('data of this release stays where it is, and no start speaks of it', () => {
  start();
  writeData('this release');
  start();
  expect(readFileSync(join(folder, 'postgres/data'), 'utf8')).toBe('this release');
  expect(existsSync(join(folder, 'before-0.2.0'))).toBe(false);
  expect(said).toEqual([]);
});
