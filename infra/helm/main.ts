import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { parseAllDocuments } from 'yaml';
import { findOnPath } from '../../packages/local-platform/src/servers/find-on-path.ts';
import { buildGoTool, cachedGoTool } from '../../packages/local-platform/src/servers/go-tool.ts';
import { runCommand } from '../../packages/testing/src/command.ts';
import { preparePython } from '../../packages/testing/src/python/environment.ts';
import { sh } from '../images/shell.ts';
import { type Manifest, policyFaults } from './policy.ts';

const help = `Usage: npm run charts [-- --help]

Checks the Helm chart in infra/helm/mostrador: \`helm lint\`, the manifests of each file in infra/helm/cases against the
schemas of Kubernetes and against our own rules (infra/helm/policy.ts), and that wrong values are rejected.

Needs Python 3.10, and helm or Go, with which helm is built once (four minutes).
Exit codes: 0 all is right, or a tool is missing; 1 something is not; 2 wrong usage.`;

const helm = {
  ...{ name: 'helm', title: 'Helm', version: 'v3.22.0' },
  ...{ module: 'helm.sh/helm/v3', package: '/cmd/helm' },
};
/** The version of Kubernetes whose schemas count. */
const kubernetes = '1.34.0';
const folder = import.meta.dirname;
const chart = join(folder, 'mostrador');

/** Values that the chart must reject, and what its message names. */
const wrongValues = {
  'config.PUBLIC_URL=': 'config.PUBLIC_URL is required',
  'config.PUBLIC_ULR=https://x.example': 'config.PUBLIC_ULR: no process reads such a variable',
  'config.NATS_URL=nats://a:b@c': 'config.NATS_URL is a secret',
  'processes.crm.config.PUBLIC_URL=https://x.example': 'processes.crm.config.PUBLIC_URL',
  'processes.crm.config.NATS_URL=nats://a:b@c': 'processes.crm.config.NATS_URL',
  'processes.cmr.replicas=3': 'there is no such process',
  'secrets.optional={TEMPORAL_APIKEY}': 'secrets.optional',
  'tls.files.NATS_CA=ca.crt': 'tls.files.NATS_CA',
};

async function main(): Promise<number> {
  const program =
    findOnPath('helm', process.env) ??
    cachedGoTool(helm, process.env) ??
    (findOnPath('go', process.env) && (await buildGoTool(helm, process.env, (line) => console.error(line))));
  if (!program) {
    console.log('the chart is not checked, because this machine lacks helm and Go');
    return 0;
  }
  const python = dirname(await preparePython(join(folder, 'requirements.txt'), 'the schemas of Kubernetes'));
  const template = (file: string, ...more: string[]) =>
    sh(program, ['template', 'shop', chart, '--kube-version', kubernetes, '--values', file, ...more]);
  const cases = readdirSync(join(folder, 'cases')).map((name) => join(folder, 'cases', name));
  const faults: string[] = [];
  for (const file of cases) {
    const lint = ['lint', chart, '--strict', '--kube-version', kubernetes, '--values', file];
    await sh(program, lint).catch((error: Error) => faults.push(error.message));
    const manifests = await template(file).then(read, (error: Error) => void faults.push(error.message));
    if (!manifests) continue;
    faults.push(...policyFaults(manifests, secrets()), ...(await schemaFaults(manifests, python)));
    console.log(`${file.slice(root.length + 1)}: ${manifests.length} manifests`);
  }
  const [least = ''] = cases.filter((file) => file.endsWith('least.yaml'));
  for (const [values, message] of Object.entries(wrongValues)) {
    const answer = await template(least, '--set', values).catch((error: Error) => error.message);
    if (!answer.includes(message)) faults.push(`--set ${values} is not rejected with "${message}"`);
  }
  console.log(faults.length === 0 ? 'The chart is right.' : `\n${faults.join('\n')}`);
  return faults.length === 0 ? 0 : 1;
}

const read = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

const secrets = (): string[] => JSON.parse(readFileSync(join(chart, 'files/platform.json'), 'utf8')).secrets;

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
