// Calls the API with `openapi-fetch` and the types that openapi-typescript made.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];

const {
  SMOKE_BASE_URL: baseUrl,
  SMOKE_KEY = '',
  SMOKE_PHONE: customerPhone = '',
  SMOKE_LEAD_ID: leadId = '',
} = process.env;
// Lists also have other media types, for exports.
const client = createClient<paths, 'application/json' | 'application/problem+json'>({
  baseUrl,
  headers: { 'X-API-Key': SMOKE_KEY },
});

const body = { name: 'Ana Lima', customer_phone: customerPhone };
const created = await client.POST('/leads', { body });
assert.ok(created.data, JSON.stringify(created.error));
const lead: Schemas['Lead'] = created.data;
const status: Schemas['LeadStatus'] = lead.status;
assert.deepEqual([status, lead.seller_id], ['pending', null]);

const listed = await client.GET('/leads', {
  params: { query: { customer_phone: customerPhone, sort: '-created_at' } },
});
const list: Schemas['LeadList'] | undefined = listed.data;
assert.deepEqual([list?.total, list?.data[0]?.id], [1, lead.id]);

const sent = await client.POST('/leads/{leadId}/messages', {
  params: { path: { leadId } },
  body: { message: 'Até amanhã! 👋' },
});
assert.ok(sent.data, JSON.stringify(sent.error));
const failure: Schemas['Failure'] | null = sent.data.error;
assert.equal(failure, null);

const again = await client.POST('/leads', { body });
assert.ok(again.error && again.response.status === 409);
const conflict: Schemas['ConflictProblem'] = again.error;
assert.deepEqual([conflict.code, conflict.id], ['lead_exists', lead.id]);

const refused = await client.GET('/leads', { params: { query: { page: 2, cursor: 'unknown' } } });
assert.ok(refused.error && refused.response.status === 400);
const invalid: Schemas['ValidationProblem'] = refused.error;
assert.equal(invalid.errors?.[0]?.in, 'query');

const store = await client.GET('/store');
assert.deepEqual([store.data?.tier, store.data?.calendar.provider], ['pro', null]);
