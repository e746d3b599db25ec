import { expect, test } from 'vitest';
import { configFaults, type ImageConfig } from './image-config.ts';

const ports = [
  { variable: 'HEALTH_PORT', number: 8082 },
  { variable: 'METRICS_PORT', number: 9082 },
];
const expected = { ports, version: '0.2.0', revision: 'abc' };
const good: ImageConfig = {
  User: '10001:10001',
  Env: ['HTTP_HOST=0.0.0.0', 'HEALTH_HOST=0.0.0.0', 'HEALTH_PORT=8082', 'METRICS_PORT=9082', 'OPTION=a=b'],
  StopSignal: 'SIGTERM',
  ExposedPorts: { '8082/tcp': {}, '9082/tcp': {} },
  Labels: { 'org.opencontainers.image.version': '0.2.0', 'org.opencontainers.image.revision': 'abc' },
};

test('an image that follows the rules has no faults', () => {
  expect(configFaults(good, expected)).toEqual([]);
});

test.each<[string, Partial<ImageConfig>]>([
  ['root by default', { User: '' }],
  ['root by number', { User: '0:0' }],
  ['a name, which Kubernetes cannot tell from root', { User: 'node' }],
  ['another signal', { StopSignal: 'SIGKILL' }],
  ['no port', { ExposedPorts: {} }],
  ['no port for its metrics', { ExposedPorts: { '8082/tcp': {} } }],
  ['another port', { ExposedPorts: { '8083/tcp': {}, '9082/tcp': {} } }],
  ['metrics at another port', { Env: good.Env?.map((each) => each.replace('9082', '9083')) ?? [] }],
  ['another revision', { Labels: { ...good.Labels, 'org.opencontainers.image.revision': 'def' } }],
  ['no version', { Labels: { 'org.opencontainers.image.revision': 'abc' } }],
  [
    'loopback only',
    { Env: good.Env?.map((each) => each.replace('HEALTH_HOST=0.0.0.0', 'HEALTH_HOST=127.0.0.1')) ?? [] },
  ],
])('an image with %s has one', (_what, change) => {
  expect(configFaults({ ...good, ...change }, expected)).toHaveLength(1);
});
