import { expect, test } from 'vitest';
import { type Manifest, policyFaults } from './policy.ts';

const container = {
  name: 'crm',
  image: 'registry.example:5000/mostrador/crm:0.2.0',
  env: [
    { name: 'NATS_URL_FILE', value: '/run/secrets/mostrador/NATS_URL' },
    { name: 'NATS_TLS_CA', value: '/run/tls/mostrador/NATS_TLS_CA' },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'https://collector:4318' },
  ],
  volumeMounts: [
    { name: 'secrets', mountPath: '/run/secrets/mostrador' },
    { name: 'tls', mountPath: '/run/tls/mostrador' },
  ],
  resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  securityContext: {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
  ...{ startupProbe: {}, livenessProbe: {}, readinessProbe: {} },
};
const pod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [container],
  volumes: [
    { name: 'secrets', secret: { items: [{ key: 'NATS_URL', path: 'NATS_URL' }] } },
    { name: 'tls', projected: { sources: [{ secret: { items: [{ key: 'ca.crt', path: 'NATS_TLS_CA' }] } }] } },
  ],
};
const metadata = { name: 'shop-crm', labels: { 'app.kubernetes.io/component': 'crm' } };
const companions: Manifest[] = [
  { kind: 'PodDisruptionBudget', metadata },
  { kind: 'NetworkPolicy', metadata, spec: { egress: [{ ports: [{ port: 4222 }] }, { ports: [{ port: 4318 }] }] } },
];
const faultsOf = (spec: object, others = companions) =>
  policyFaults([{ kind: 'Deployment', metadata, spec: { template: { spec } } }, ...others], ['NATS_URL']);
const withContainer = (change: object) => faultsOf({ ...pod, containers: [{ ...container, ...change }] });
const withVolume = (volume: object) => faultsOf({ ...pod, volumes: [...pod.volumes, { name: 'tls', ...volume }] });
const temporalKey = { items: [{ key: 'tls.key', path: 'TEMPORAL_TLS_KEY' }] };
const withSecurity = (change: object) =>
  withContainer({ securityContext: { ...container.securityContext, ...change } });

test('a deployment that follows the rules has no faults', () => {
  expect(faultsOf(pod)).toEqual([]);
});

test.each<[string, string[]]>([
  ['may run as root', faultsOf({ ...pod, securityContext: { ...pod.securityContext, runAsNonRoot: false } })],
  ['may run as root', faultsOf({ ...pod, securityContext: { ...pod.securityContext, runAsUser: 0 } })],
  ['has no seccomp profile', faultsOf({ ...pod, securityContext: { runAsNonRoot: true, runAsUser: 1 } })],
  ['gets a token of the cluster', faultsOf({ ...pod, automountServiceAccountToken: undefined })],
  ['shares the network of its node', faultsOf({ ...pod, hostNetwork: true })],
  ['may write to its file system', withSecurity({ readOnlyRootFilesystem: undefined })],
  ['may gain privileges', withSecurity({ allowPrivilegeEscalation: true })],
  ['has capabilities', withSecurity({ capabilities: {} })],
  ['has capabilities', withSecurity({ capabilities: { drop: ['ALL'], add: ['NET_RAW'] } })],
  ['has no limit of memory', withContainer({ resources: { requests: container.resources.requests } })],
  ['requests no processor time or memory', withContainer({ resources: { limits: container.resources.limits } })],
  ['has no fixed version', withContainer({ image: 'registry.example:5000/mostrador/crm' })],
  ['has no fixed version', withContainer({ image: 'mostrador/crm:latest' })],
  ['has no probe of its readiness', withContainer({ readinessProbe: undefined })],
  [
    'has the secret NATS_URL as a variable',
    withContainer({ env: [...container.env, { name: 'NATS_URL', value: 'nats://…' }] }),
  ],
  ['gets every key of a Secret in tls', withVolume({ secret: {} })],
  ['gets every key of a Secret in tls', withVolume({ projected: { sources: [{ secret: {} }] } })],
  ['gets the file TEMPORAL_TLS_KEY, which no variable names', withVolume({ secret: temporalKey })],
  [
    'may not reach OTEL_EXPORTER_OTLP_ENDPOINT at port 4317',
    withContainer({
      env: [...container.env.slice(0, 2), { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'https://collector:4317' }],
    }),
  ],
  ['has no NetworkPolicy', faultsOf(pod, companions.slice(0, 1))],
])('a deployment that %s is rejected', (fault, faults) => {
  expect(faults).toEqual([`Deployment shop-crm ${fault}`]);
});

test('a chart that has a Secret is rejected', () => {
  const secret = { kind: 'Secret', metadata: { name: 'passwords' } };
  expect(policyFaults([secret], [])).toHaveLength(1);
});
