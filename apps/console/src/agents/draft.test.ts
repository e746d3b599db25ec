import { expect, test } from 'vitest';
import type { Agent } from './agent-queries.ts';
import { bodyOf, changesOf, draftOf, emptyDraft, faultsOf, isEditable, newCondition, withOperator } from './draft.ts';

const condition = { id: 'c', condition_type: 'lead_status', operator: '=', value: 'lost' };
const agent: Agent = {
  id: 'a',
  name: 'Sales',
  model: 'auto',
  priority: 5,
  is_active: true,
  is_default: false,
  voice_id: null,
  audio_response_enabled: false,
  ...{ instructions: 'Sell.', tone: null, language: null, disclosure: true, handover_when: null, version: 1 },
  tools: ['find_times', 'book'],
  condition_groups: [{ id: 'g', group_index: 7, logical_operator: 'AND', conditions: [condition] }],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

test('an agent that is opened and saved keeps its values', () => {
  const { name, model, priority, is_active, is_default, voice_id, audio_response_enabled } = agent;
  const values = { name, model, priority, is_active, is_default, voice_id, audio_response_enabled };
  expect(bodyOf(draftOf(agent))).toEqual({
    ...values,
    ...{ instructions: 'Sell.', tone: null, language: null, disclosure: true, handover_when: null },
    tools: ['find_times', 'book'],
    condition_groups: [
      {
        group_index: 0,
        logical_operator: 'AND',
        conditions: [{ condition_type: 'lead_status', operator: '=', value: 'lost' }],
      },
    ],
  });
});

test('only what was edited is sent, so that what another person has changed stays', () => {
  const first = draftOf(agent);
  expect(changesOf(first, { ...first, tone: ' warm ' })).toEqual({ tone: 'warm' });
  expect(changesOf(first, { ...first, groups: [] })).toEqual({ condition_groups: [] });
  expect(changesOf(first, { ...first, name: 'Sales ' })).toEqual({});
});

test('a list that becomes one value keeps the first that can be chosen, and a text stays', () => {
  const listed = { ...newCondition('lead_status'), operator: 'in', value: 'lost, pending' } as const;
  expect(withOperator(listed, '=')).toMatchObject({ operator: '=', value: 'lost' });
  expect(withOperator({ ...listed, value: '' }, '!=')).toMatchObject({ value: 'pending' });
  expect(withOperator(listed, 'not_in')).toMatchObject({ value: 'lost, pending' });
  expect(withOperator({ ...listed, type: 'tag' }, '=')).toMatchObject({ value: 'lost, pending' });
});

type Given = { condition_type: string; operator: string; value: string; hours?: object[]; timezone?: string };
const withCondition = (given: Given): Agent => ({
  ...agent,
  condition_groups: [
    { id: 'g', group_index: 0, logical_operator: 'AND', conditions: [{ id: 'c', ...given } as typeof condition] },
  ],
});
const hours = [{ weekday: 1, from: '09:00', to: '18:00' }];

test.each<[Given, Given]>([
  ...[
    { condition_type: 'lead_status', operator: 'in', value: 'lost, pending' },
    { condition_type: 'seller', operator: 'not_in', value: 'none' },
    { condition_type: 'business_hours', operator: '=', value: 'open', hours, timezone: 'America/Sao_Paulo' },
  ].map((same): [Given, Given] => [same, same]),
  // What means the same is written in one way.
  [
    { condition_type: 'tag', operator: 'contains', value: 'vip' },
    { condition_type: 'tag', operator: '=', value: 'vip' },
  ],
  [
    { condition_type: 'first_contact', operator: '!=', value: 'true' },
    { condition_type: 'first_contact', operator: '=', value: 'false' },
  ],
])('the condition %j is saved as %j', (given, saved) => {
  const changed = withCondition(given);
  expect(isEditable(changed)).toBe(true);
  expect(bodyOf(draftOf(changed)).condition_groups[0]?.conditions).toEqual([saved]);
});

test('a condition without a value is a fault, and so are too many characters', () => {
  const group = { key: 'g', conditions: [newCondition('tag')] };
  expect(faultsOf({ ...draftOf(agent), groups: [group] })).toEqual({ conditions: true });
  expect(faultsOf({ ...draftOf(agent), instructions: '🙂'.repeat(8_000) })).toEqual({});
  expect(faultsOf({ ...draftOf(agent), instructions: 'x'.repeat(8_001) })).toEqual({ instructions: true });
});

test('hours of a condition without a day or with an end before their begin are a fault, and those of the rules are none', () => {
  const withHours = (...windows: object[]) => {
    const conditions = [{ ...newCondition('business_hours'), own: { windows: windows as never } }];
    return faultsOf({ ...draftOf(agent), groups: [{ key: 'g', conditions }] });
  };
  const window = { weekdays: ['monday'], from: '09:00', to: '18:00' };
  expect(withHours(window)).toEqual({});
  for (const faulty of [[], [{ ...window, weekdays: [] }], [window, { ...window, to: '08:00' }]]) {
    expect(withHours(...faulty)).toEqual({ conditions: true });
  }
});

test('a group without conditions is not sent, and the indexes of the others differ', () => {
  const group = { key: 'x', conditions: [newCondition()] };
  const draft = { ...draftOf(agent), groups: [group, { key: 'y', conditions: [] }, { ...group, key: 'z' }] };
  expect(bodyOf(draft).condition_groups.map(({ group_index }) => group_index)).toEqual([0, 1]);
});

test('a new agent comes after all others, and needs a name', () => {
  const draft = emptyDraft([agent]);
  expect(draft.priority).toBe('15');
  expect(faultsOf(draft)).toEqual({ name: true });
});

test.each(['', '-1', '1.5', '1000001', 'x'])('%s is no priority', (priority) => {
  expect(faultsOf({ ...draftOf(agent), priority })).toEqual({ priority: true });
});

test('conditions of a later version are not edited', () => {
  expect(isEditable(agent)).toBe(true);
  for (const later of [{ condition_type: 'lead_tag' }, { operator: '~' }, { value: 'won' }]) {
    expect(isEditable(withCondition({ ...condition, ...later }))).toBe(false);
  }
});
