import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { parseAllDocuments } from 'yaml';
import { findOnPath } from '../../packages/local-platform/src/servers/find-on-path.ts';
import { buildGoTool, cachedGoTool } from '../../packages/local-platform/src/servers/go-tool.ts';
import { runCommand, skippedCode } from '../../packages/testing/src/command.ts';
import { preparePython } from '../../packages/testing/src/python/environment.ts';
import { dockerfileFaults } from '../images/lint.ts';
import { sh } from '../images/shell.ts';
import { environmentFaults } from './environment.ts';
import { type Manifest, policyFaults } from './policy.ts';

const help = `Usage: npm run charts [-- --help]

Checks the Helm chart in infra/helm/mostrador: \`helm lint\`, the manifests of each file in infra/helm/cases against the
schemas of Kubernetes and against our own rules (infra/helm/policy.ts), that each program accepts its environment, and that
wrong values are rejected. Also checks the Dockerfile of the images with hadolint.

Needs Python 3.10, and helm or Go, with which helm is built once (four minutes).
Exit codes: 0 all is right; 1 something is not; 2 wrong usage; ${skippedCode} the chart is skipped, because a tool is missing.`;

const helm = {
  ...{ name: 'helm', title: 'Helm', version: 'v3.22.0' },
  ...{ module: 'helm.sh/helm/v3', package: '/cmd/helm' },
};
/** The version of Kubernetes whose schemas count. */
const kubernetes = '1.34.0';
const folder = import.meta.dirname;
const chart = join(folder, 'mostrador');
type Platform = Readonly<Record<'secrets' | 'files' | 'ports' | 'ofBuild', readonly string[]>>;
const platform: Platform = JSON.parse(readFileSync(join(chart, 'files/platform.json'), 'utf8'));

/** Values that the chart must reject, and what its message names. */
const wrongValues = {
  'config.PUBLIC_URL=': 'config.PUBLIC_URL is required',
  'config.PUBLIC_ULR=https://x.example': 'config.PUBLIC_ULR: no process reads such a variable',
  'config.NATS_URL=nats://a:b@c': 'config.NATS_URL is a secret',
  'config.NATS_URL_FILE=/run/url': 'config.NATS_URL_FILE is a secret',
  ...Object.fromEntries(
    platform.files.map((name) => [`config.${name}=/run/file`, `config.${name} names a file: put the file into`]),
  ),
  ...Object.fromEntries(
    platform.ports.map((name) => [`config.${name}=9000`, `config.${name}: the chart sets the ports in a pod`]),
  ),
  ...Object.fromEntries(
    platform.ofBuild.map((name) => [`config.${name}=/run/place`, `config.${name}: it is for a clone`]),
  ),
  'config.TEMPORAL_WORKER_BUILD_ID=0.3.0': 'config.TEMPORAL_WORKER_BUILD_ID: an upgrade would end the workers',
  'processes.workflows.config.TEMPORAL_WORKER_BUILD_ID=0.3.0':
    'processes.workflows.config.TEMPORAL_WORKER_BUILD_ID: an upgrade would end the workers',
  'processes.crm.versions={0.3.0}': 'processes.crm.versions: only workers of Temporal have versions',
  'processes.crm.config.PUBLIC_URL=https://x.example': 'processes.crm.config.PUBLIC_URL: the process reads no such',
  'processes.crm.config.NATS_URL=nats://a:b@c': 'processes.crm.config.NATS_URL is a secret',
  'processes.assistant.config.MODEL_PRICES_FILE=/run/prices.json':
    'processes.assistant.config.MODEL_PRICES_FILE names a file',
  'processes.cmr.replicas=3': 'there is no such process',
  'secrets.optional={TEMPORAL_APIKEY}': 'secrets.optional',
  'tls.files.NATS_CA=ca.crt': 'tls.files.NATS_CA: no process reads such a file',
  'tls.files.NATS_TLS_CA=ca.crt': 'tls.files.NATS_TLS_CA: tls.existingSecret names no Secret',
  'processes.crm.tls.files.TEMPORAL_TLS_KEY=tls.key': 'processes.crm.tls.files.TEMPORAL_TLS_KEY: the process reads no',
  'processes.crm.tls.existingSecret=crm-tls': 'name its keys in processes.crm.tls.files',
  'admin.enabled=true,admin.secrets={ENCRYPTION_KEYS}': 'admin.secrets: the command reads no secret ENCRYPTION_KEYS',
};

async function main(): Promise<number> {
  const faults = await dockerfileFaults();
  const program =
    findOnPath('helm', process.env) ??
    cachedGoTool(helm, process.env) ??
    (findOnPath('go', process.env) && (await buildGoTool(helm, process.env, (line) => console.error(line))));
  if (!program) {
    console.log(['the chart is skipped, because this machine lacks helm and Go', ...faults].join('\n'));
    return faults.length === 0 ? skippedCode : 1;
  }
  const python = dirname(await preparePython(join(folder, 'requirements.txt'), 'the schemas of Kubernetes'));
  const template = (file: string, ...more: string[]) =>
    sh(program, ['template', 'shop', chart, '--kube-version', kubernetes, '--values', file, ...more]);
  const cases = readdirSync(join(folder, 'cases')).map((name) => join(folder, 'cases', name));
  for (const file of cases) {
    const lint = ['lint', chart, '--strict', '--kube-version', kubernetes, '--values', file];
    await sh(program, lint).catch((error: Error) => faults.push(error.message));
    const manifests = await template(file).then(read, (error: Error) => void faults.push(error.message));
    if (!manifests) continue;
    faults.push(...policyFaults(manifests, platform.secrets), ...environmentFaults(manifests));
    faults.push(...(await schemaFaults(manifests, python)));
    console.log(`${file.slice(root.length + 1)}: ${manifests.length} manifests`);
  }
  const [least = ''] = cases.filter((file) => file.endsWith('least.yaml'));
  for (const [values, message] of Object.entries(wrongValues)) {
    const answer = await template(least, '--set', values).catch((error: Error) => error.message);
    if (!answer.includes(message)) faults.push(`--set ${values} is not rejected with "${message}"`);
  }
  console.log(faults.length === 0 ? 'The chart and the Dockerfile are right.' : `\n${faults.join('\n')}`);
  return faults.length === 0 ? 0 : 1;
}

const read = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

/** Resources of Prometheus' operator and of KEDA have no schema there. */
async function schemaFaults(manifests: readonly Manifest[], python: string): Promise<string[]> {
  const own = manifests.filter(({ kind }) => !['ServiceMonitor', 'PrometheusRule', 'ScaledObject'].includes(kind));
  const place = mkdtempSync(join(tmpdir(), 'mostrador-chart-'));
  try {
    const files = own.map((manifest, index) => {
      const file = join(place, `${index}-${manifest.kind}-${manifest.metadata.name}.json`);
      writeFileSync(file, JSON.stringify(manifest));
      return file;
    });
    const version = kubernetes.split('.').slice(0, 2).join('.');
    return await sh(join(python, 'kubernetes-validate'), ['--strict', '-k', version, ...files]).then(
      () => [],
      (error: Error) => [error.message],
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

process.exitCode = await runCommand(
  process.argv.slice(2),
  help,
  (argv) => {
    const options = { help: { type: 'boolean', default: false } } as const;
    return parseArgs({ args: [...argv], options }).values.help ? undefined : {};
  },
  main,
);
