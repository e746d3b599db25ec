import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mostrador/local-platform/ports';
import { chromiumOptions } from '@mostrador/testing/chromium';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { addresses, eventually, newStore, request } from './platform.ts';

const { root } = inject('platform');

let folder: string;
let backend: ChildProcess;
let browser: Browser | undefined;
let key: string;
let service: string;
let address: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-booking-'));
  const guide = readFileSync(join(root, 'docs/guides/booking.md'), 'utf8');
  const fileIn = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1] ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'booking.ts'), fileIn('ts'));
  writeFileSync(join(folder, 'page.html'), fileIn('html'));
  ({ key } = await newStore());
  await request('PUT', '/booking/rules', { key, body: { overlap: 'reject', capacity: 1 } });
  const made = await request('POST', '/services', { key, body: { name: 'Haircut', duration_minutes: 60 } });
  service = made.body.id;
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  backend = spawn(process.execPath, ['booking.ts'], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, PORT: String(port), SERVICE_ID: service },
      ...{ MOSTRADOR_URL: addresses.base_url, MOSTRADOR_KEY: key },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await eventually(
    () =>
      fetch(`${address}/times`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  if (existsSync(chromiumOptions.executablePath)) browser = await chromium.launch(chromiumOptions);
});
afterAll(async () => {
  await browser?.close();
  if (backend && backend.exitCode === null) await Promise.all([backend.kill('SIGKILL'), once(backend, 'exit')]);
  rmSync(folder, { recursive: true });
});

const book = async (body: object) => {
  const answer = await fetch(`${address}/book`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
};
const startAt = async (index: number) =>
  ((await (await fetch(`${address}/times`)).json()) as { starts: string[] }).starts[index] as string;

test('the backend of the guide books a time once, tells a conflict with alternatives, and keeps the name of a customer', async () => {
  const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: '+5511900004001' } });
  const start = await startAt(5);
  const wish = { start, name: 'Somebody else', phone: '+55 11 90000-4001', key: crypto.randomUUID() };
  const booked = { status: 201, body: { start } };
  expect([await book(wish), await book(wish)]).toEqual([booked, booked]);
  const { body: list } = await request('GET', `/appointments?service_id=${service}&lead_id=${lead.body.id}`, { key });
  expect(list.data).toMatchObject([{ scheduled_at: start, duration_minutes: 60 }]);
  expect((await request('GET', `/leads/${lead.body.id}`, { key })).body.name).toBe('Ana');

  const other = await book({ ...wish, phone: '+5511900004002', key: crypto.randomUUID() });
  expect(other).toMatchObject({ status: 409, body: { alternatives: expect.arrayContaining([expect.any(String)]) } });
  expect(await book({ ...wish, phone: '12', key: crypto.randomUUID() })).toEqual({ status: 400, body: {} });
  // What the rules do not offer cannot be booked here, whatever a visitor sends.
  for (const unoffered of [new Date(Date.now() - 86_400_000), new Date(Date.now() + 500 * 86_400_000)]) {
    const asked = { ...wish, start: unoffered.toISOString(), key: crypto.randomUUID() };
    expect(await book(asked)).toEqual({ status: 409, body: { alternatives: [] } });
  }
  // No fault of what the customer wrote.
  expect(await book({ ...wish, start: await startAt(9) })).toEqual({ status: 502, body: {} });
});

test('of 20 clients that book one time at once one gets it, and 19 get other times that can be booked', async () => {
  const scheduled_at = await startAt(20);
  const body = { title: 'Haircut', service_id: service, scheduled_at };
  const answers = await Promise.all(Array.from({ length: 20 }, () => request('POST', '/appointments', { key, body })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status === 409).map((answer) => answer.body);
  expect(refused).toHaveLength(19);
  for (const { code, alternatives } of refused) {
    expect(code).toBe('appointment_conflict');
    expect(alternatives).toHaveLength(5);
    expect(alternatives).not.toContain(scheduled_at);
  }
  const [next] = refused[0].alternatives;
  const other = await request('POST', '/appointments', { key, body: { ...body, scheduled_at: next } });
  expect(other.status).toBe(201);
});

test.each(['{', '', 'null', '[]'])('the backend of the guide refuses the body %j, and goes on', async (body) => {
  expect((await fetch(`${address}/book`, { method: 'POST', body })).status).toBe(400);
  expect((await fetch(`${address}/times`)).status).toBe(200);
});

test('the page of the guide shows the free times, books one, and says when it was just taken', async (context) => {
  if (!browser) return context.skip('there is no Chromium');
  const page = await browser.newPage();
  await page.goto(address);
  const start = await startAt(0);
  await page.locator(`option[value="${start}"]`).waitFor({ state: 'attached' });
  const fill = async (phone: string) => {
    await page.getByLabel('Time').selectOption(start);
    await page.getByLabel('Name').fill('Rui');
    await page.getByLabel('Phone').fill(phone);
    await page.getByRole('button').click();
  };
  // Another visitor was faster.
  await book({ start, name: 'Eva', phone: '+5511900004003', key: crypto.randomUUID() });
  await fill('+5511900004004');
  await page.getByText('That time was just taken.').waitFor();
  await page.locator(`option[value="${start}"]`).waitFor({ state: 'detached' });
  const chosen = await startAt(3);
  await page.getByLabel('Time').selectOption(chosen);
  // After a failure the same time is asked for again.
  await page.route('**/book', (route) => route.fulfill({ status: 502, body: '{}' }), { times: 1 });
  await page.getByRole('button').click();
  await page.getByText('Please try again.').waitFor();
  await page.getByRole('button').click();
  await page.getByText('Booked. See you then!').waitFor();
  const { body: list } = await request('GET', `/appointments?service_id=${service}`, { key });
  const own = list.data.filter(({ title }: { title: string }) => title === 'Rui');
  expect(own).toMatchObject([{ scheduled_at: chosen }]);
  await page.close();
});
