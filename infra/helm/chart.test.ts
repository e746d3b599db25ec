import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { variablesOf } from '../../packages/platform/src/environment.ts';
import { processNames } from '../../packages/platform/src/processes.ts';

test('the chart takes neither what an image sets to a place of its own, nor what is for development', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
  const { variables, ofBuild } = JSON.parse(read('mostrador/files/platform.json'));
  const ofImages = [...read('../images/Dockerfile').matchAll(/\b([A-Z_]+)=\/app\//g)].map(([, name]) => name);
  const forDevelopment = [...processNames]
    .flatMap((name) => variablesOf(name))
    .flatMap(({ name, description = '' }) => (description.startsWith('For development') ? [name] : []));
  expect(ofImages.length).toBeGreaterThan(1);
  expect(forDevelopment.length).toBeGreaterThan(0);
  expect([...ofImages, ...forDevelopment].filter((name) => !ofBuild.includes(name))).toEqual([]);
  expect(ofBuild.filter((name: string) => variables.includes(name))).toEqual([]);
});

test('the chart has the version of the platform', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const chart = parse(readFileSync(join(import.meta.dirname, 'mostrador/Chart.yaml'), 'utf8'));
  expect(chart).toMatchObject({ version, appVersion: version });
});
