import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portsOf } from '../../packages/platform/src/environment.ts';
import { nodeFlags, processes, processNames, runtimeEnvironment } from '../../packages/platform/src/processes.ts';

const text = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8');
/** The lines of each stage by its name. */
const stages = new Map(
  text.split(/^FROM /m).map((stage) => [/ AS ([\w-]+)/.exec(stage)?.[1] ?? '', stage.split('\n')] as const),
);

test.each(processNames)('the image of %s starts its program and has its ports', (name) => {
  const { program } = processes[name];
  const ports = portsOf(name);
  const stage = stages.get(name) ?? [];
  expect(stage).toContain(`EXPOSE ${ports.map(({ number }) => number).join(' ')}`);
  expect(stage).toContain(`CMD ["${program}"]`);
  const settings = stage.filter((line) => line.startsWith('ENV ')).flatMap((line) => line.split(' ').slice(1));
  expect(settings).toEqual(expect.arrayContaining(ports.map(({ variable, number }) => `${variable}=${number}`)));
  expect(stage).toContain(`COPY --from=${name}-files /app /app`);
});

test('every image has the flags of Node and the environment that the description gives every process', () => {
  const base = stages.get('base') ?? [];
  expect(base).toContain(`ENTRYPOINT ${JSON.stringify(['node', ...nodeFlags]).replaceAll('","', '", "')}`);
  const environment = base.find((line) => line.startsWith('ENV ')) ?? '';
  for (const [name, value] of Object.entries(runtimeEnvironment)) expect(environment).toContain(`${name}=${value}`);
});
