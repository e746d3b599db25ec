/** A manifest, as far as the rules look at it. */
export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Readonly<Record<string, unknown>>;
};

type Container = {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly securityContext?: {
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
} & Readonly<Partial<Record<'livenessProbe' | 'readinessProbe' | 'startupProbe', object>>>;
type Quantities = Readonly<Record<string, unknown>>;
type Pod = {
  readonly containers: readonly Container[];
  readonly automountServiceAccountToken?: boolean;
  readonly hostNetwork?: boolean;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly seccompProfile?: { readonly type?: string };
  };
};
type Rule<T> = readonly [fault: string, holds: (subject: T) => boolean];

const podRules: readonly Rule<Pod>[] = [
  ['may run as root', ({ securityContext: is }) => is?.runAsNonRoot === true && (is.runAsUser ?? 0) > 0],
  ['has no seccomp profile', ({ securityContext }) => securityContext?.seccompProfile?.type === 'RuntimeDefault'],
  ['gets a token of the cluster', ({ automountServiceAccountToken }) => automountServiceAccountToken === false],
  ['shares the network of its node', ({ hostNetwork }) => hostNetwork !== true],
];

const containerRules: readonly Rule<Container>[] = [
  ['may write to its file system', ({ securityContext }) => securityContext?.readOnlyRootFilesystem === true],
  ['may gain privileges', ({ securityContext }) => securityContext?.allowPrivilegeEscalation === false],
  [
    'has capabilities',
    ({ securityContext: is }) =>
      is?.capabilities?.drop?.includes('ALL') === true && (is.capabilities.add ?? []).length === 0,
  ],
  ['has no limit of memory', ({ resources }) => resources?.limits?.memory !== undefined],
  [
    'requests no processor time or memory',
    ({ resources }) => resources?.requests?.cpu !== undefined && resources.requests.memory !== undefined,
  ],
  ['has no fixed version', ({ image }) => /:(?!latest$)[^:/]+$/.test(image)],
];

const serverRules: readonly Rule<Container>[] = [
  ['has no probe of its start', ({ startupProbe }) => startupProbe !== undefined],
  ['has no probe of its life', ({ livenessProbe }) => livenessProbe !== undefined],
  ['has no probe of its readiness', ({ readinessProbe }) => readinessProbe !== undefined],
];

/** What is wrong with manifests of our chart. `secrets` are the names of the variables with secrets. */
export function policyFaults(manifests: readonly Manifest[], secrets: readonly string[]): string[] {
  return manifests.flatMap((manifest) => {
    const { kind, metadata } = manifest;
    const pod = (manifest.spec?.template as { spec?: Pod } | undefined)?.spec;
    const faults = [
      ...(kind === 'Secret' ? ['is a Secret, and the chart only refers to them'] : []),
      ...(pod ? podFaults(pod, kind, secrets) : []),
      ...(kind === 'Deployment' ? companionFaults(manifest, manifests) : []),
    ];
    return faults.map((fault) => `${kind} ${metadata.name} ${fault}`);
  });
}

function podFaults(pod: Pod, kind: string, secrets: readonly string[]): string[] {
  const broken = <T>(rules: readonly Rule<T>[], subject: T) =>
    rules.filter(([, holds]) => !holds(subject)).map(([fault]) => fault);
  const shown = pod.containers.flatMap(({ env = [] }) => env.filter(({ name }) => secrets.includes(name)));
  return [
    ...broken(podRules, pod),
    ...pod.containers.flatMap((container) => [
      ...broken(containerRules, container),
      ...(kind === 'Deployment' ? broken(serverRules, container) : []),
    ]),
    ...shown.map(({ name }) => `has the secret ${name} as a variable`),
  ];
}

/** A process has a budget of disruptions and a network policy. */
function companionFaults({ metadata }: Manifest, manifests: readonly Manifest[]): string[] {
  const component = metadata.labels?.['app.kubernetes.io/component'];
  return ['PodDisruptionBudget', 'NetworkPolicy']
    .filter(
      (kind) =>
        !manifests.some(
          (each) => each.kind === kind && each.metadata.labels?.['app.kubernetes.io/component'] === component,
        ),
    )
    .map((kind) => `has no ${kind}`);
}
