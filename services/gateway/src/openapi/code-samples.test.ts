import { listLeads } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { routes } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { codeSamples, samplesOf } from './code-samples.ts';
import { exampleOf } from './examples/index.ts';

const baseUrl = 'https://api.example.com/integrations/v1';
const sourcesOf = (method: string, path: string): string[] => {
  const route = routes.find((each) => each.method === method && each.path === path);
  const example = route && exampleOf(route.operation);
  if (!route || !example) throw new Error(`no example for ${method} ${path}`);
  return codeSamples(route, example, baseUrl).map(({ source }) => source);
};

test('a POST has its body, its headers and the whole address in each language', () => {
  const [curl, typescript, python] = sourcesOf('POST', '/followups/scheduled');
  expect(curl).toBe(`curl -X POST '${baseUrl}/followups/scheduled' \\
  -H "X-API-Key: $MOSTRADOR_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "lead_id": "0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20",
  "message": "Oi, Helena! Seus óculos já estão prontos?",
  "delay_minutes": 1440
}'`);
  expect(typescript).toBe(`const response = await fetch('${baseUrl}/followups/scheduled', {
  method: 'POST',
  headers: {
    'X-API-Key': process.env.MOSTRADOR_API_KEY ?? '',
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({
    "lead_id": "0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20",
    "message": "Oi, Helena! Seus óculos já estão prontos?",
    "delay_minutes": 1440
  }),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`);
  expect(python).toBe(`import os
import uuid

import httpx

response = httpx.post(
    "${baseUrl}/followups/scheduled",
    headers={
        "X-API-Key": os.environ["MOSTRADOR_API_KEY"],
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json={
        "lead_id": "0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20",
        "message": "Oi, Helena! Seus óculos já estão prontos?",
        "delay_minutes": 1440,
    },
)
response.raise_for_status()
print(response.json())`);
});

test('a GET has its query, and several values of a filter keep their commas', () => {
  for (const source of sourcesOf('GET', '/leads'))
    expect(source).toContain(`${baseUrl}/leads?updated_after=2026-01-12T00%3A00%3A00Z&sort=updated_at&limit=200`);
  const route = routes.find(({ operation }) => operation === listLeads) as Route;
  const request = { query: { status: 'pending,in_progress' } };
  for (const { source } of codeSamples(route, { request, reply: undefined } as never, baseUrl))
    expect(source).toContain(`${baseUrl}/leads?status=pending,in_progress`);
  const [curl, typescript] = sourcesOf('GET', '/store');
  expect(curl).toBe(`curl '${baseUrl}/store' \\\n  -H "X-API-Key: $MOSTRADOR_API_KEY"`);
  expect(typescript).not.toMatch(/method|body|Idempotency/);
});

test('what needs no key has none', () => {
  const sources = samplesOf({ method: 'GET', url: 'https://api.example.com/calendars/x.ics', withKey: false });
  for (const { source } of sources) expect(source).not.toMatch(/API.KEY/i);
});

test('quotes in a body end no string, and Python has its own words for null, true and false', () => {
  const body = { name: `D'Ávila "Ana"`, tags: [], none: null, list: [true, false, { a: 1 }] };
  const [curl, , python] = samplesOf({ method: 'PATCH', url: baseUrl, body }).map(({ source }) => source);
  expect(curl).toContain(`"name": "D'\\''Ávila \\"Ana\\""`);
  expect(python).toContain(`"name": "D'Ávila \\"Ana\\"",\n        "tags": [],\n        "none": None,\n`);
  expect(python).toContain('"list": [\n            True,\n            False,\n            {\n                "a": 1,');
});
