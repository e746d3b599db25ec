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
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
  readonly securityContext?: {
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
} & Readonly<Partial<Record<'livenessProbe' | 'readinessProbe' | 'startupProbe', object>>>;
type Quantities = Readonly<Record<string, unknown>>;
/** The keys of a Secret that become files. Without `items` all of them do. */
type SecretFiles = { readonly items?: readonly { readonly key: string; readonly path: string }[] };
type Volume = {
  readonly name: string;
  readonly secret?: SecretFiles;
  readonly projected?: { readonly sources: readonly { readonly secret?: SecretFiles }[] };
};
type Pod = {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
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
      ...(pod ? podFaults(pod, secrets) : []),
      ...(pod && kind === 'Deployment' && !isAdmin(manifest)
        ? pod.containers.flatMap((each) => broken(serverRules, each))
        : []),
      ...(kind === 'Deployment' && !isAdmin(manifest)
        ? companionFaults('PodDisruptionBudget', manifest, manifests)
        : []),
      ...(kind === 'Deployment' ? companionFaults('NetworkPolicy', manifest, manifests) : []),
      ...(kind === 'Deployment' && pod ? egressFaults(pod, companions('NetworkPolicy', manifest, manifests)) : []),
    ];
    return faults.map((fault) => `${kind} ${metadata.name} ${fault}`);
  });
}

const componentOf = ({ metadata }: Manifest): string | undefined => metadata.labels?.['app.kubernetes.io/component'];
/** The pod for the admin command serves nothing. */
const isAdmin = (manifest: Manifest): boolean => componentOf(manifest) === 'admin';

const broken = <T>(rules: readonly Rule<T>[], subject: T): string[] =>
  rules.filter(([, holds]) => !holds(subject)).map(([fault]) => fault);

function podFaults(pod: Pod, secrets: readonly string[]): string[] {
  const shown = pod.containers.flatMap(({ env = [] }) => env.filter(({ name }) => secrets.includes(name)));
  return [
    ...broken(podRules, pod),
    ...pod.containers.flatMap((container) => broken(containerRules, container)),
    ...shown.map(({ name }) => `has the secret ${name} as a variable`),
    ...(pod.volumes ?? []).flatMap((volume) => volumeFaults(volume, pod)),
  ];
}

/** A pod gets the files that a variable of it names, and no others. */
function volumeFaults({ name, secret, projected }: Volume, pod: Pod): string[] {
  const all = [secret, ...(projected?.sources ?? []).map((source) => source.secret)].filter(
    (each) => each !== undefined,
  );
  const named = new Set(
    pod.containers.flatMap(({ env = [], volumeMounts = [] }) =>
      volumeMounts
        .filter((mount) => mount.name === name)
        .flatMap(({ mountPath }) => env.map(({ value }) => value?.replace(`${mountPath}/`, ''))),
    ),
  );
  return all.flatMap(({ items }) =>
    items
      ? items.filter(({ path }) => !named.has(path)).map(({ path }) => `gets the file ${path}, which no variable names`)
      : [`gets every key of a Secret in ${name}`],
  );
}

const companions = (kind: string, manifest: Manifest, manifests: readonly Manifest[]): Manifest[] =>
  manifests.filter((each) => each.kind === kind && componentOf(each) === componentOf(manifest));

const companionFaults = (kind: string, manifest: Manifest, manifests: readonly Manifest[]): string[] =>
  companions(kind, manifest, manifests).length > 0 ? [] : [`has no ${kind}`];

type Egress = { readonly ports?: readonly { readonly port: number }[] };

/** The servers that variables name can be reached: those of secrets have ports of their own in the values. */
function egressFaults(pod: Pod, policies: readonly Manifest[]): string[] {
  const rules = policies.flatMap(({ spec }) => (spec?.egress ?? []) as Egress[]);
  const mayReach = (port: number) => rules.some(({ ports }) => !ports || ports.some((each) => each.port === port));
  return pod.containers
    .flatMap(({ env = [] }) => env)
    .filter(({ name }) => ['OTEL_EXPORTER_OTLP_ENDPOINT', 'TEMPORAL_ADDRESS'].includes(name))
    .map(({ name, value = '' }) => ({ name, port: Number(/:(\d+)\/?$/.exec(value)?.[1]) }))
    .filter(({ port }) => policies.length > 0 && !mayReach(port))
    .map(({ name, port }) => `may not reach ${name} at port ${port}`);
}
