import { expect, test } from 'vitest';
import type { Agent } from './agent-queries.ts';
import { bodyOf, draftOf, emptyDraft, faultsOf, isEditable, newCondition } from './draft.ts';

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
  condition_groups: [{ id: 'g', group_index: 7, logical_operator: 'AND', conditions: [condition] }],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

test('an agent that is opened and saved keeps its values', () => {
  // What is not sent stays as it is.
  const { name, model, priority, is_active, is_default, voice_id, audio_response_enabled } = agent;
  const values = { name, model, priority, is_active, is_default, voice_id, audio_response_enabled };
  expect(bodyOf(draftOf(agent))).toEqual({
    ...values,
    condition_groups: [
      {
        group_index: 0,
        logical_operator: 'AND',
        conditions: [{ condition_type: 'lead_status', operator: '=', value: 'lost' }],
      },
    ],
  });
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
  const later = { ...condition, condition_type: 'lead_tag' };
  const groups = [{ id: 'g', group_index: 0, logical_operator: 'AND', conditions: [later] }];
  expect(isEditable(agent)).toBe(true);
  expect(isEditable({ ...agent, condition_groups: groups })).toBe(false);
});
