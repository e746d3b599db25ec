import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDirectory } from '@mostrador/local-platform/paths';
import { createClient } from '@mostrador/sdk';
import { run } from '../../clients/run.ts';
import { apiDocument } from '../document.ts';
import type { ExampleInput } from '../platform.ts';
import { postmanCollection } from './collection.ts';

/** Its dependencies are 200 packages, so only this check installs it, as its registry had them on that day. */
const newman = { version: '6.2.2', before: '2026-11-15' };
/** The customer of the demo data who wrote just now, so that the store may answer. */
const demoCustomer = '5511900000001';

/** Sends every request of the collection to the demo store with newman, and runs the collection's tests. */
export async function checkPostmanCollection(input: ExampleInput): Promise<void> {
  const program = await provideNewman();
  const { MOSTRADOR_BASE_URL: baseUrl, MOSTRADOR_API_KEY: apiKey } = input;
  const client = createClient({ baseUrl, apiKey });
  const { data } = await client.leads.list({ customer_phone: demoCustomer });
  // The demo store has no webhooks.
  const { id: endpointId } = await client.webhookEndpoints.create({ url: 'https://erp.example.com/postman' });
  const { id: deliveryId } = await client.webhookEndpoints.test({ endpointId });
  const { id: replayId } = await client.webhookReplays.create({ endpointId, only: 'failed' });
  const ids = { leadId: data[0]?.id ?? '', endpointId, deliveryId, replayId };
  const variables = { baseUrl, apiKey, phone: demoCustomer, ...ids };
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-postman-'));
  try {
    const { item, ...collection } = postmanCollection(apiDocument());
    const inOrder = item.flatMap((each) => each.item).sort((one, other) => rankOf(one) - rankOf(other));
    writeFileSync(join(folder, 'collection.json'), JSON.stringify({ ...collection, item: inOrder }));
    const values = Object.entries(variables).map(([key, value]) => ({ key, value }));
    writeFileSync(join(folder, 'environment.json'), JSON.stringify({ name: 'demo', values }));
    await run(program, ['run', 'collection.json', '--environment', 'environment.json', '--color', 'off'], {
      cwd: folder,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Requests that read and keep an id come first. Those that make something come behind those that need what was there.
 * What deletes comes last, the parts before the whole.
 */
function rankOf({ request, event }: ReturnType<typeof postmanCollection>['item'][number]['item'][number]): number {
  const keepsId = JSON.stringify(event).includes('collectionVariables.set');
  if (keepsId) return request.method === 'GET' ? 0 : 4;
  return { GET: 1, PATCH: 2, PUT: 2, POST: 3 }[request.method] ?? 5 + 1 / request.url.path.length;
}

async function provideNewman(): Promise<string> {
  const folder = join(cacheDirectory(process.env), 'newman', newman.version);
  const program = join(folder, 'node_modules/.bin/newman');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const settings = ['--before', newman.before, '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...settings, `newman@${newman.version}`], { cwd: folder });
  return program;
}
