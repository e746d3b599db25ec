import { beforeAll, expect, test } from 'vitest';
import { admin, fileOf, newStore, request, runAdminHere, storeOf } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
beforeAll(async () => {
  store = await newStore({ arguments: ['--locale', 'pt-BR'] });
});

const statusIs = (value: string) => ({ condition_type: 'lead_status', operator: '=', value });
const createAgent = (content: object) => admin(['agent', 'create', '--store', store.id, fileOf('agent.json', content)]);

test('an agent is created from a file, listed while active, and always readable by id', async () => {
  const agent = await createAgent({
    name: 'Vendas',
    priority: 2,
    condition_groups: [{ group_index: 0, conditions: [statusIs('pending')] }],
  });
  const read = () => request('GET', `/agents/${agent.id}`, { key: store.key });
  const list = () => request('GET', '/agents', { key: store.key });
  expect((await read()).body).toEqual(agent);
  expect((await list()).body).toEqual({ data: [agent], total: 1, page: 1, limit: 50 });

  const off = fileOf('off.json', { is_active: false });
  await admin(['agent', 'update', '--store', store.id, '--agent', agent.id, off]);
  expect((await list()).body).toMatchObject({ data: [], total: 0 });
  expect((await read()).body).toMatchObject({ id: agent.id, is_active: false });
});

test('a second default agent is rejected', async () => {
  await createAgent({ name: 'Geral', priority: 9, is_default: true });
  const file = fileOf('agent.json', { name: 'Outro', priority: 8, is_default: true });
  const refused = await runAdminHere(['agent', 'create', '--store', store.id, file]);
  expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('(default_agent_exists)') });
});

test('agent selection follows the status of the lead and explains its choice', async () => {
  const lost = await createAgent({
    name: 'Reconquista',
    priority: 1,
    condition_groups: [{ group_index: 0, conditions: [statusIs('lost')] }],
  });
  const lead = await request('POST', '/leads', {
    key: store.key,
    body: { name: 'Ana', customer_phone: '5511900000001' },
  });
  const lead_id = lead.body.id;
  const select = () => request('POST', '/agents/select', { key: store.key, body: { lead_id } });
  expect(await select()).toMatchObject({ status: 200, body: { agent: { name: 'Geral' }, reason: 'default' } });
  await request('PATCH', `/leads/${lead_id}`, { key: store.key, body: { status: 'lost' } });
  const { body } = await select();
  expect(body).toMatchObject({ agent: { id: lost.id }, reason: 'conditions_hold' });
  expect(body.considered[0]).toMatchObject({ agent_id: lost.id, outcome: 'selected' });

  const first = await request('POST', '/agents/select', {
    key: store.key,
    body: { lead_id },
    headers: { 'idempotency-key': 'choose' },
  });
  expect(first.headers.get('idempotent-replay')).toBeNull();
  const again = await request('POST', '/agents/select', {
    key: store.key,
    body: { lead_id },
    headers: { 'idempotency-key': 'choose' },
  });
  expect(again.headers.get('idempotent-replay')).toBe('true');
  expect(again.text).toBe(first.text);
});

test('conditions compare what other services know: opening hours, first contacts and the locale', async () => {
  const { key } = await newStore({ arguments: ['--locale', 'pt-BR', '--timezone', 'America/Sao_Paulo'] });
  const conditions = [
    { condition_type: 'business_hours', operator: '=', value: 'open' },
    { condition_type: 'first_contact', operator: '=', value: 'true' },
    { condition_type: 'language', operator: 'in', value: 'es, pt' },
    { condition_type: 'message_contains', operator: 'contains', value: 'preço' },
  ];
  const body = { name: 'Novos', priority: 1, condition_groups: [{ group_index: 0, conditions }] };
  const agent = await request('POST', '/agents', { key, body });
  expect(agent.status, agent.text).toBe(201);
  const hours = [{ weekday: 3, from: '09:00', to: '12:00' }];
  expect((await request('PUT', '/booking/rules', { key, body: { overlap: 'allow', hours } })).status).toBe(200);
  const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: '5511900000002' } });
  const select = async (at: string) => {
    const asked = { lead_id: lead.body.id, message: 'Qual o PRECO?', at };
    return (await request('POST', '/agents/select', { key, body: asked })).body;
  };
  const open = await select('2027-06-16T10:00:00-03:00');
  expect(open).toMatchObject({
    agent: { id: agent.body.id },
    reason: 'conditions_hold',
    condition_group: { holds: true },
  });
  const closed = await select('2027-06-16T14:00:00-03:00');
  expect(closed.considered[0].failed_condition).toMatchObject({ condition_type: 'business_hours', actual: 'closed' });
});

test('an imported document is listed, found by a search in the language of the store, and updated by its next import', async () => {
  const file = fileOf('servicos.md', '# Serviços\n\nFazemos colorações e <b>cortes</b>.');
  const broken = fileOf('broken.pdf', 'no PDF');
  const { exitCode, out } = await runAdminHere(['document', 'import', '--store', store.id, '--json', broken, file]);
  expect(exitCode).toBe(1);
  const [, imported] = JSON.parse(out).documents;
  expect(imported).toMatchObject({ result: 'created', title: 'Serviços' });

  const list = await request('GET', '/knowledge/documents', { key: store.key });
  expect(list.body).toMatchObject({ data: [{ id: imported.id, is_active: true }], total: 1, page: 1, limit: 20 });
  const one = await request('GET', `/knowledge/documents/${imported.id}`, { key: store.key });
  expect(one.body).toEqual(list.body.data[0]);

  const found = await request('GET', `/knowledge/search?q=${encodeURIComponent('coloração')}`, { key: store.key });
  expect(found.body.data).toMatchObject([
    { document: { id: imported.id, title: 'Serviços' }, highlight: expect.stringContaining('<mark>colorações</mark>') },
  ]);
  expect(found.body.data[0].highlight).toContain('&lt;b&gt;cortes&lt;/b&gt;');

  const changed = fileOf('servicos.md', '# Serviços\n\nSó barba.');
  const again = await admin(['document', 'import', '--store', store.id, changed]);
  expect(again.documents).toMatchObject([{ result: 'changed', id: imported.id }]);
  expect((await request('GET', '/knowledge/search?q=coloracao', { key: store.key })).body).toEqual({
    data: [],
    vectors: 'not_used',
  });
  expectProblem(await request('GET', '/knowledge/search', { key: store.key }), 'validation_failed');
});

test('the demo store has agents and a searchable knowledge base', async () => {
  const { api_key: key } = storeOf('pro');
  const agents = await request('GET', '/agents', { key });
  expect(agents.body.total).toBeGreaterThan(3);
  const found = await request('GET', `/knowledge/search?q=${encodeURIComponent('abre aos domingos?')}`, { key });
  expect(found.body.data[0].document.title).toBe('Horários e endereço');
});
