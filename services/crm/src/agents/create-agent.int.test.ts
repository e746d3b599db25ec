import { randomUUID } from 'node:crypto';
import { createAgent, createSeller, deleteSeller, getAgent, type RequestOf, updateAgent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Body = RequestOf<typeof createAgent>['body'];
const create = (storeId: string, body: Body) => crm.rpc.call(createAgent, { body }, testContext({ storeId }));
const status = (value: 'pending' | 'lost') => ({ condition_type: 'lead_status', operator: '=', value }) as const;
const body: Body = {
  name: 'Vendas',
  priority: 3,
  condition_groups: [
    { group_index: 5, conditions: [status('lost')] },
    { group_index: 1, conditions: [status('pending'), status('lost')] },
  ],
};

test('a new agent has the given values, its groups ordered by group_index, and defaults for the rest', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, body);
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(made).toEqual({
    id,
    name: 'Vendas',
    model: 'auto',
    priority: 3,
    is_active: true,
    is_default: false,
    voice_id: null,
    audio_response_enabled: false,
    ...{ instructions: null, tone: null, language: null, disclosure: true, handover_when: null, version: 1 },
    tools: ['find_times', 'book', 'move', 'cancel', 'schedule_followup', 'update_lead'],
    condition_groups: [
      {
        id,
        group_index: 1,
        logical_operator: 'AND',
        conditions: [
          { id, ...status('pending') },
          { id, ...status('lost') },
        ],
      },
      { id, group_index: 5, logical_operator: 'AND', conditions: [{ id, ...status('lost') }] },
    ],
    created_at: expect.any(String),
    updated_at: made.created_at,
  });
  expect(await crm.rpc.call(getAgent, { params: { agentId: made.id } }, testContext({ storeId }))).toEqual(made);
});

test('a repeated request with its key creates one agent', async () => {
  const storeId = randomUUID();
  const post = () => crm.rpc.call(createAgent, { body }, testContext({ storeId, idempotencyKey: 'k' }));
  expect(await Promise.all([post(), post()])).toEqual(Array(2).fill(await post()));
  expect(await crm.adminSql`select 1 from agents where store_id = ${storeId}`).toHaveLength(1);
});

test('the outbox has the event when the agent exists', async () => {
  const storeId = randomUUID();
  const agent = await create(storeId, { ...body, is_default: true });
  const { id } = agent;
  expect(await crm.feed(storeId)).toMatchObject([{ type: 'agent.created', entity_id: id, data: { object: agent } }]);
  const rows = await crm.adminSql`select topic, data from outbox where store_id = ${storeId}`;
  expect(rows).toEqual([{ topic: 'crm.agent.created', data: { agent_id: id, is_active: true, is_default: true } }]);
});

test('a store has one default agent, even if two are created at once, and each store has its own', async () => {
  const storeId = randomUUID();
  const both = await Promise.allSettled([1, 2].map(() => create(storeId, { ...body, is_default: true })));
  const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(made).toHaveLength(1);
  expect(refused).toEqual([expect.objectContaining({ code: 'default_agent_exists', members: { id: made[0] } })]);
  expect(await crm.adminSql`select 1 from outbox where store_id = ${storeId}`).toHaveLength(1);
  await expect(create(randomUUID(), { ...body, is_default: true })).resolves.toBeDefined();
});

test('a condition may name a seller of the store, and no other', async () => {
  const storeId = randomUUID();
  const { id } = await crm.rpc.call(
    createSeller,
    { body: { name: 'Rui', whatsapp_id: '5511900000001' } },
    testContext({ storeId }),
  );
  const of = (value: string): Body => ({
    ...body,
    condition_groups: [{ group_index: 0, conditions: [{ condition_type: 'seller', operator: 'in', value }] }],
  });
  const refused = { code: 'seller_not_found' };
  await expect(create(storeId, of(`${id}, ${randomUUID()}`))).rejects.toMatchObject(refused);
  await expect(create(randomUUID(), of(id))).rejects.toMatchObject(refused);
  const made = await create(storeId, of(`none, ${id}`));
  const update = (changes: RequestOf<typeof updateAgent>['body']) =>
    crm.rpc.call(updateAgent, { params: { agentId: made.id }, body: changes }, testContext({ storeId }));
  await expect(update({ condition_groups: of(randomUUID()).condition_groups })).rejects.toMatchObject(refused);

  // The conditions stay as they are when the seller goes, and the rest can still be changed.
  await crm.rpc.call(deleteSeller, { params: { sellerId: id } }, testContext({ storeId }));
  expect(await update({ condition_groups: of(`none, ${id}`).condition_groups, name: 'B' })).toMatchObject({
    name: 'B',
  });
  expect(await update({ condition_groups: of(id).condition_groups })).toMatchObject({ condition_groups: [{}] });
  const another = randomUUID();
  await expect(update({ condition_groups: of(`${id}, ${another}`).condition_groups })).rejects.toMatchObject({
    ...refused,
    detail: `The store has no seller with the id ${another}. Check the id.`,
  });
});

const open = { condition_type: 'business_hours', value: 'open' };
const weekly = (from: string, to: string) => ({ hours: [{ weekday: 1, from, to }] });
const wrong: [what: string, members: object, pointer: string][] = [
  ['an empty group', { condition_groups: [{ group_index: 0, conditions: [] }] }, '#/condition_groups/0/conditions'],
  [
    'a status that no lead has',
    { condition_groups: [{ group_index: 0, conditions: [{ ...status('lost'), value: 'won' }] }] },
    '#/condition_groups/0/conditions/0/value',
  ],
  ...(
    [
      ['an unknown type', { condition_type: 'moon_phase' }, 'condition_type'],
      ['an unknown operator', { operator: '>' }, 'operator'],
      ['an operator that the type does not have', { operator: 'contains' }, 'operator'],
      ['a list with an empty value', { operator: 'in', value: 'lost,,pending' }, 'value'],
      ['a list with a status that no lead has', { operator: 'in', value: 'lost, won' }, 'value'],
      ['a seller who is no id', { condition_type: 'seller', value: 'Ana' }, 'value'],
      ['a tag with a comma', { condition_type: 'tag', value: 'a,b' }, 'value'],
      ['a text of accents alone', { condition_type: 'message_contains', value: '\u0301' }, 'value'],
      ['a language that is no tag', { condition_type: 'language', value: '!' }, 'value'],
      ['a first contact that is not true or false', { condition_type: 'first_contact', value: 'yes' }, 'value'],
      ['hours that are not open or closed', { condition_type: 'business_hours', value: '9-18' }, 'value'],
      ['hours of another type', { hours: [{ weekday: 1, from: '09:00', to: '18:00' }] }, 'hours'],
      ['a zone of another type', { timezone: 'UTC' }, 'timezone'],
      ['a zone without hours', { ...open, timezone: 'UTC' }, 'timezone'],
      ['an unknown zone', { ...open, ...weekly('09:00', '18:00'), timezone: 'Mars/Base' }, 'timezone'],
      ['a period that ends before it starts', { ...open, ...weekly('18:00', '09:00') }, 'hours/0/to'],
      ['a time that is none', { ...open, ...weekly('9', '18:00') }, 'hours/0/from'],
    ] as const
  ).map(([what, condition, place]): (typeof wrong)[number] => [
    what,
    { condition_groups: [{ group_index: 0, conditions: [{ ...status('lost'), ...condition }] }] },
    `#/condition_groups/0/conditions/0/${place}`,
  ]),
  [
    'conditions that are too long together',
    {
      condition_groups: Array.from({ length: 10 }, (_, group_index) => ({
        group_index,
        conditions: Array(4).fill({ condition_type: 'message_contains', operator: '=', value: 'a'.repeat(450) }),
      })),
    },
    '#/condition_groups',
  ],
  [
    'a repeated group_index',
    {
      condition_groups: [
        { group_index: 2, conditions: [status('lost')] },
        { group_index: 2, conditions: [status('pending')] },
      ],
    },
    '#/condition_groups/1/group_index',
  ],
  [
    'a condition with an unknown member',
    { condition_groups: [{ group_index: 0, conditions: [{ ...status('lost'), not: true }] }] },
    '#/condition_groups/0/conditions/0/not',
  ],
  ['an unknown member', { colour: 'red' }, '#/colour'],
  ['an unknown model', { model: 'claude' }, '#/model'],
  ['a priority that is not an integer', { priority: 1.5 }, '#/priority'],
  ['instructions of more than 8,000 characters', { instructions: 'a'.repeat(8001) }, '#/instructions'],
  ['a tone of spaces alone', { tone: ' ' }, '#/tone'],
  ['a language that is no tag', { language: '!' }, '#/language'],
  ['a disclosure that is null', { disclosure: null }, '#/disclosure'],
  ['a hand-over that is no text', { handover_when: 7 }, '#/handover_when'],
  ['a tool that does not exist', { tools: ['pay'] }, '#/tools/0'],
  ['a tool twice', { tools: ['book', 'book'] }, '#/tools'],
  ['tools that are null', { tools: null }, '#/tools'],
  ['a version', { version: 2 }, '#/version'],
  ['no name', { name: ' ' }, '#/name'],
];
test.each(wrong)('%s is rejected, and the error names its place', async (_, members, pointer) => {
  const storeId = randomUUID();
  await expect(create(storeId, { ...body, ...members })).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ pointer, detail: expect.any(String) }] },
  });
  expect(await crm.adminSql`select 1 from agents where store_id = ${storeId}`).toHaveLength(0);
});
