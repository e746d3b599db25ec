import { beforeEach, expect, test } from 'vitest';
import { admin, fileOf, type Json, newStore, request, runAdminHere } from './platform.ts';
import { expectProblem } from './problem.ts';

// In a store in Brazil `51987650001` is a mobile in Porto Alegre, and one in Peru.
const [digits, brazilian, peruvian] = ['51987650001', '5551987650001', '51987650001'];
const bothForms = `is a number of two countries: write \`+${brazilian}\` or \`+${peruvian}\``;

let store: Awaited<ReturnType<typeof newStore>>;
const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  request(method, path, { key: store.key, body, headers });
const newLead = async (customer_phone: string): Promise<Json> => {
  const answer = await call('POST', '/leads', { name: 'Bia', customer_phone });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const inQuery = encodeURIComponent;

beforeEach(async () => {
  store = await newStore({ arguments: ['--country', 'BR'] });
});

test('digits of two countries make no lead, and the error has both forms', async () => {
  const answer = await call('POST', '/leads', { name: 'Bia', customer_phone: digits });
  expect(expectProblem(answer, 'validation_failed').errors).toEqual([
    { pointer: '#/customer_phone', detail: bothForms },
  ]);
  expect((await call('GET', '/leads')).body.total).toBe(0);
  const portuguese = await call('POST', '/leads', { customer_phone: digits, name: 'Bia' }, { 'accept-language': 'pt' });
  expect(portuguese.body.errors[0].detail).toMatch(/^é um número de dois países: escreva/);
  const inPath = await call('PUT', `/leads/by-phone/${digits}`, { name: 'Bia' });
  expect(expectProblem(inPath, 'validation_failed').errors).toEqual([{ in: 'path', name: 'phone', detail: bothForms }]);
  const inList = await call('GET', `/leads?customer_phone=${digits}`);
  expect(expectProblem(inList, 'validation_failed').errors).toEqual([
    { in: 'query', name: 'customer_phone', detail: bothForms.replaceAll('+', '%2B') },
  ]);
});

test.each([
  ['national', '(51) 98765-0001', brazilian],
  ['foreign', '+51 987 650 001', peruvian],
])('digits alone mean the %s lead of the store, wherever a phone is taken', async (_, written, phone) => {
  const lead = await newLead(written);
  expect(lead.customer_phone).toBe(phone);
  for (const form of new Set([digits, phone])) {
    expectProblem(await call('POST', '/leads', { name: 'Bia', customer_phone: form }), 'lead_exists');
    expect((await call('GET', `/leads?customer_phone=${form}`)).body.data).toMatchObject([{ id: lead.id }]);
    expect((await call('PUT', `/leads/by-phone/${form}`, { name: 'Bia' })).body).toMatchObject({ id: lead.id });
    expect((await call('GET', `/reports/leads?customer_phone=${form}`)).body.lead).toMatchObject({ id: lead.id });
    const patched = await call('PATCH', `/leads/${lead.id}`, { customer_phone: form });
    expect(patched.body).toMatchObject({ customer_phone: phone });
  }
});

test('when both numbers are leads, digits alone mean neither, except in a change of one of them', async () => {
  const [here, there] = [await newLead(`+${brazilian}`), await newLead(`+${peruvian}`)];
  expectProblem(await call('GET', `/leads?customer_phone=${digits}`), 'validation_failed');
  for (const { id, customer_phone } of [here, there]) {
    expect((await call('PATCH', `/leads/${id}`, { customer_phone: digits })).body).toMatchObject({ customer_phone });
    expect((await call('GET', `/leads?customer_phone=${inQuery(`+${customer_phone}`)}`)).body.data).toMatchObject([
      { id },
    ]);
  }
});

test('a repeated request under its key is answered again, whatever the phone means by then', async () => {
  const lead = await newLead(`+${brazilian}`);
  const put = () => call('PUT', `/leads/by-phone/${digits}`, { name: 'Bia' }, { 'idempotency-key': 'once' });
  const first = await put();
  await newLead('+51 987 650 002');
  const again = await put();
  expect(again.headers.get('idempotent-replay')).toBe('true');
  expect(again.body).toEqual(first.body);
  expect(first.body.id).toBe(lead.id);
});

test("a seller's number is read in the same way, and among the sellers", async () => {
  expectProblem(await call('POST', '/sellers', { name: 'Rui', whatsapp_id: digits }), 'validation_failed');
  const { body: seller } = await call('POST', '/sellers', { name: 'Rui', whatsapp_id: `+${brazilian}` });
  const kept = await call('PATCH', `/sellers/${seller.id}`, { whatsapp_id: digits });
  expect(kept.body).toMatchObject({ whatsapp_id: brazilian });
});

test('an import rejects such a row unless it says how the file writes its phones, and the misread are found', async () => {
  const file = fileOf('leads.csv', `name,customer_phone\nBia,${digits}\n`);
  const refused = await runAdminHere(['lead', 'import', '--store', store.id, file]);
  expect(refused.exitCode).toBe(1);
  const found = () => admin(['lead', 'duplicates', '--store', store.id]);
  expect((await found()).misread).toEqual([]);
  const imported = await admin(['lead', 'import', '--store', store.id, '--phones', 'international', file]);
  expect(imported).toMatchObject({ created: 1, rejected: 0 });
  expect((await found()).misread).toMatchObject([{ lead: { customer_phone: peruvian }, national: brazilian }]);
  expect(await admin(['lead', 'import', '--store', store.id, '--phones', 'national', file])).toMatchObject({
    created: 1,
  });
  expect((await call('GET', `/leads?customer_phone=${inQuery(`+${brazilian}`)}`)).body.total).toBe(1);
});
