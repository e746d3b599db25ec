import { expect, test } from 'vitest';
import { environmentFaults } from './environment.ts';

const env = [
  { name: 'NATS_URL_FILE', value: '/run/secrets/mostrador/NATS_URL' },
  { name: 'HEALTH_PORT', value: '8086' },
  { name: 'TEMPORAL_ADDRESS', value: 'temporal.internal:7233' },
];
const faultsOf = (...more: { name: string; value: string }[]) =>
  environmentFaults([
    {
      kind: 'Deployment',
      metadata: { name: 'shop-workflows' },
      spec: { template: { spec: { containers: [{ name: 'workflows', env: [...env, ...more] }] } } },
    },
  ]);

test('a program of a manifest reads its environment as it does when it starts', () => {
  expect(faultsOf({ name: 'TEMPORAL_TLS', value: 'true' })).toEqual([]);
  expect(faultsOf()).toEqual([expect.stringMatching(/^Deployment shop-workflows: .*TEMPORAL_ADDRESS leads to/s)]);
});
