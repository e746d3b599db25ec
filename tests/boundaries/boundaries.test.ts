import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import configuration from '../../.dependency-cruiser.mjs';

/** The folders of the kit and the rooms of a service, from the bottom up. */
const folders = {
  'packages/kit': [
    ...['schema', 'process', 'rpc', 'database', 'clients', 'phones', 'tokens', 'resilience'],
    ...['outbox', 'idempotency', 'step', 'service'],
  ],
  'services/gateway': [
    ...['http', 'languages', 'access', 'stores', 'reports', 'routes', 'requests', 'plugins', 'events'],
    ...['exports', 'openapi', 'assets', 'docs', 'environment', 'waiting', 'api', 'platform', 'sandbox', 'console'],
  ],
  'services/messaging': [
    ...['prices', 'settings', 'channels', 'templates', 'identities', 'conversations', 'sessions', 'messages', 'inbox'],
    ...['delivery', 'merges', 'inbound', 'outbound', 'connection', 'sandbox-page', 'reports', 'restore'],
  ],
  'services/events': ['feed', 'webhooks', 'restore'],
};

/** Every rule, with an import that it must reject. Libraries are in a `node_modules` folder of the generated tree. */
const refused: Record<string, { from: string; imports: string; also?: Record<string, string> }> = {
  'contracts-only-typebox': { from: 'packages/contracts/src/crm/leads.ts', imports: 'node:fs' },
  'kit-knows-no-service': {
    from: 'packages/kit/src/process/log.ts',
    imports: '../../../../services/crm/src/leads/lead.ts',
  },
  'kit-imports-no-business-contracts': {
    from: 'packages/kit/src/process/log.ts',
    imports: '../../../contracts/src/crm/leads.ts',
  },
  ...Object.fromEntries(
    Object.entries(folders).flatMap(([place, upwards]) =>
      upwards
        .slice(0, -1)
        .map((folder, index) => [
          `${place.split('/')[1]}-${folder}-imports-nothing-above`,
          { from: `${place}/src/${folder}/some.ts`, imports: `../${upwards[index + 1]}/other.ts` },
        ]),
    ),
  ),
  'rollups-only-kit': { from: 'packages/rollups/src/read.ts', imports: '../../../services/crm/src/leads/lead.ts' },
  'totals-only-kit': { from: 'packages/totals/src/totals.ts', imports: '../../../services/crm/src/leads/lead.ts' },
  'hours-only-kit': { from: 'packages/hours/src/starts.ts', imports: '../../../services/crm/src/leads/lead.ts' },
  'local-platform-only-packages': {
    from: 'packages/local-platform/src/services.ts',
    imports: '../../../services/crm/src/leads/lead.ts',
  },
  'platform-only-contracts': { from: 'packages/platform/src/processes.ts', imports: '../../kit/src/process/log.ts' },
  'sdk-stands-alone': { from: 'packages/sdk/src/client.ts', imports: 'node:crypto' },
  'testing-only-in-tests': {
    from: 'services/crm/src/leads/lead.ts',
    imports: '../../../../packages/testing/src/wait.ts',
  },
  'services-not-each-other': { from: 'services/crm/src/handlers.ts', imports: '../../gateway/src/keys/key.ts' },
  'services-only-packages': {
    from: 'services/crm/src/handlers.ts',
    imports: '../../../workflows/src/entity-workflow.ts',
  },
  'workflows-only-packages': { from: 'workflows/src/bundle.ts', imports: '../../services/crm/src/leads/lead.ts' },
  'workflow-files-deterministic': { from: 'workflows/src/appointment.workflow.ts', imports: 'node:crypto' },
  'apps-only-packages': { from: 'apps/admin/src/run.ts', imports: '../../../services/crm/src/leads/lead.ts' },
  'infra-only-packages': {
    from: 'infra/local/dev.ts',
    imports: '../../services/crm/src/leads/lead.ts',
  },
  'e2e-black-box': { from: 'tests/e2e/feed.e2e.test.ts', imports: '../../packages/kit/src/process/log.ts' },
  'nats-only-in-kit': { from: 'services/crm/src/handlers.ts', imports: 'nats' },
  'postgres-only-in-kit': { from: 'services/crm/src/leads/lead.repository.ts', imports: 'postgres' },
  'no-circular': {
    from: 'services/crm/src/leads/lead.ts',
    imports: './create-lead.ts',
    also: { 'services/crm/src/leads/create-lead.ts': "import './lead.ts';\n" },
  },
  'no-orphans': { from: 'packages/kit/src/forgotten.ts', imports: '' },
};

const trees: string[] = [];

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

test('every boundary rule has an import here that it rejects', () => {
  expect(Object.keys(refused)).toEqual(configuration.forbidden?.map(({ name }) => name));
});

test.each(Object.entries(folders))('every folder of %s has its place in the order', (place, upwards) => {
  const found = readdirSync(join(import.meta.dirname, '../..', place, 'src'), { withFileTypes: true });
  const names = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(upwards.toSorted());
});

describe('each boundary rule rejects its import', () => {
  // All in one tree, because reading a tree takes most of the time.
  let broken: Broken[];
  beforeAll(async () => {
    const files: Record<string, string> = {};
    const add = (file: string, text: string) => {
      files[file] = `${files[file] ?? ''}${text}`;
    };
    for (const { from, imports, also = {} } of Object.values(refused)) {
      add(from, imports && `import '${imports}';\n`);
      if (imports.startsWith('../')) add(join(dirname(from), imports), '');
      for (const [file, text] of Object.entries(also)) add(file, text);
    }
    broken = await breaches(files);
  });

  test.each(Object.entries(refused))('%s', (rule, { from }) => {
    // A circle is reported once, from either of its files.
    expect(broken.flatMap((breach) => (breach.rule === rule ? [breach.from, breach.to] : []))).toContain(from);
  });
});

test('a workflow file may import types of the activities, but not their code', async () => {
  const activities = { 'workflows/src/activities/sync.ts': 'export interface Sync { id: string }\n' };
  const workflow = 'workflows/src/appointment.workflow.ts';
  const typeOnly = "import type { Sync } from './activities/sync.ts';\nexport type Input = Sync;\n";
  expect(await brokenRules({ ...activities, [workflow]: typeOnly })).toEqual([]);
  expect(await brokenRules({ ...activities, [workflow]: "import './activities/sync.ts';\n" })).toEqual([
    'workflow-files-deterministic',
  ]);
});

test('the imports of the intended layout break no rule', async () => {
  const broken = await brokenRules({
    'packages/contracts/src/index.ts': "import '@sinclair/typebox';\n",
    'packages/kit/src/process/log.ts':
      "import '../../../contracts/src/core/index.ts';\nimport 'nats';\nimport 'postgres';\n",
    'services/crm/src/main.ts': "import '../../../packages/kit/src/process/log.ts';\nimport './service.ts';\n",
    'services/crm/src/handlers.ts': "import '../../../packages/contracts/src/index.ts';\n",
    'workflows/src/appointment.workflow.ts':
      "import '@temporalio/workflow';\nimport '../../packages/contracts/src/index.ts';\n",
    'infra/local/dev.ts': "import '../../packages/kit/src/process/log.ts';\nimport 'postgres';\n",
    'tests/e2e/feed.e2e.test.ts': "import '../../packages/contracts/src/index.ts';\n",
  });
  expect(broken).toEqual([]);
});

/** The names of the rules that a tree of these files breaks. */
const brokenRules = async (files: Record<string, string>): Promise<string[]> => [
  ...new Set((await breaches(files)).map(({ rule }) => rule)),
];

type Broken = { readonly rule: string; readonly from: string; readonly to: string };

/** Each import of a tree of these files that breaks a rule. */
async function breaches(files: Record<string, string>): Promise<Broken[]> {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), 'mostrador-boundaries-')));
  trees.push(tree);
  const libraries = ['@sinclair/typebox', '@temporalio/workflow', 'nats', 'postgres'];
  const all = { ...files, ...Object.fromEntries(libraries.map((name) => [`node_modules/${name}/index.js`, ''])) };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const { tsConfig, ...options } = configuration.options ?? {};
  const { output } = await cruise(Object.keys(files), {
    ...options,
    baseDir: tree,
    validate: true,
    ruleSet: { forbidden: configuration.forbidden },
  });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}
