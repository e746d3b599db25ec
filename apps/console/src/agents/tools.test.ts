import { expect, test } from 'vitest';
import {
  type Combination,
  combinationOf,
  type EffectName,
  effectNames,
  type ToolName,
  toggled,
  toolNames,
} from './tools.ts';

const none: Combination = { knowsAppointments: false, effects: [], confirmed: [] };

test.each<[readonly ToolName[], readonly EffectName[], Combination]>([
  [[], [], none],
  // To look for times changes nothing, and a store may confirm what an agent cannot do.
  [['find_times'], effectNames, none],
  [['book'], [], { ...none, effects: ['book'] }],
  [['move'], [], { ...none, knowsAppointments: true, effects: ['move'] }],
  [['cancel'], ['book'], { ...none, knowsAppointments: true, effects: ['cancel'] }],
  [
    ['schedule_followup'],
    ['schedule_followup'],
    { ...none, effects: ['schedule_followup'], confirmed: ['schedule_followup'] },
  ],
  [['update_lead', 'book'], ['update_lead'], { ...none, effects: ['book', 'update_lead'], confirmed: ['update_lead'] }],
  [toolNames, effectNames, { knowsAppointments: true, effects: effectNames, confirmed: effectNames }],
])('an agent that may use %j, where a person confirms %j, combines %j', (tools, confirm, combination) => {
  expect(combinationOf(tools, confirm)).toEqual(combination);
});

test('a tool is added in the order of all, and taken away', () => {
  expect(toggled(toolNames, ['cancel'], 'book')).toEqual(['book', 'cancel']);
  expect(toggled(toolNames, ['book', 'cancel'], 'book')).toEqual(['cancel']);
});
