import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mostrador/local-platform/ports';
import { preparePython } from '@mostrador/testing/python/environment';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually, newStore, request } from './platform.ts';

const { root } = inject('platform');

/** The one program in this language in a guide. Both languages of the guide have the same, which another test holds. */
function recipeIn(guide: string, language: string): string {
  const text = readFileSync(join(root, 'docs/guides', guide), 'utf8');
  const programs = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))];
  if (programs.length !== 1) throw new Error(`${guide} has ${programs.length} programs in ${language}`);
  return programs[0]?.[1] ?? '';
}

let folder: string;
const started: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-recipes-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'receiver.ts'), recipeIn('webhooks.md', 'ts'));
  writeFileSync(join(folder, 'receiver.py'), recipeIn('webhooks.md', 'python'));
  // The recipe finds the library as after `npm install standardwebhooks`.
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await Promise.all(started.map((child) => child.exitCode ?? (child.kill('SIGKILL') && once(child, 'exit'))));
  rmSync(folder, { recursive: true });
});

const recipes = [
  { language: 'TypeScript', command: async () => [process.execPath, 'receiver.ts'] },
  {
    language: 'Python',
    command: async () => {
      const requirements = join(root, 'packages/testing/src/providers/webhook-receiver/requirements.txt');
      return [await preparePython(requirements, 'the receiver of webhooks'), 'receiver.py'];
    },
  },
] as const;

test.each(recipes)(
  'the $language receiver of the guide verifies and prints each event once, and refuses what is forged',
  async ({ command }) => {
    const { key } = await newStore();
    // The endpoint needs the port before the receiver can start with the secret.
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/`;
    const created = await request('POST', '/webhooks/endpoints', { key, body: { url: address } });
    expect(created.status, created.text).toBe(201);
    const { id: endpointId, secret } = created.body;
    const [program = '', ...parameters] = await command();
    const child = spawn(program, parameters, {
      cwd: folder,
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const post = async (headers: Record<string, string>, body: string) => {
      const answer = await fetch(address, { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    };
    await eventually(
      () => post({}, '').catch((error) => `${error} ${err}`),
      (status) => status === 401,
    );

    const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: '5511900003001' } });
    const line = `1 lead.created ${lead.body.id}\n`;
    await eventually(
      async () => ({ out, err }),
      ({ out: printed }) => printed === line,
    );

    const { body: feed } = await request('GET', '/events', { key });
    const event = JSON.stringify(feed.data[0]);
    const signed = (by: string, at = new Date()) => ({
      'webhook-id': feed.data[0].id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(feed.data[0].id, at, event),
    });
    expect(await post(signed(secret), event), 'a duplicate').toBe(204);
    expect(await post(signed(secret), event.replace('Ana', 'Eva')), 'a tampered body').toBe(401);
    const another = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await post(signed(another), event), 'a wrong secret').toBe(401);
    expect(await post(signed(secret, new Date(Date.now() - 600_000)), event), 'an old request').toBe(401);
    expect(out).toBe(line);

    const deliveries = await eventually(
      () => request('GET', `/webhooks/endpoints/${endpointId}/deliveries`, { key }),
      ({ body }) => body.data[0]?.status === 'succeeded',
    );
    expect(deliveries.body.data).toMatchObject([{ attempts: 1, event_id: feed.data[0].id }]);
  },
);
