import { type Lead, leadStatuses } from '@mostrador/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Candidate, chooseAgent } from './choose-agent.ts';

type Status = Lead['status'];

/** An agent whose groups are lists of statuses. */
const agent = (id: string, priority: number, groups: Status[][], flags: Partial<Candidate> = {}): Candidate => ({
  id,
  name: `agent ${id}`,
  priority,
  is_active: true,
  is_default: false,
  condition_groups: groups.map((values, group_index) => ({
    id: `${id}-${group_index}`,
    group_index,
    logical_operator: 'AND',
    conditions: values.map((value, place) => ({
      id: `${id}-${group_index}-${place}`,
      condition_type: 'lead_status',
      operator: '=',
      value,
    })),
  })),
  ...flags,
});

const outcomes = (candidates: Candidate[], status: Status) => {
  const { agent: chosen, reason, considered } = chooseAgent(candidates, { status });
  return {
    chosen: chosen?.id ?? null,
    reason,
    outcomes: considered.map(({ agent_id, outcome }) => [agent_id, outcome]),
  };
};

test('among the agents that match, the lowest priority number wins, and ties go to the lower id', () => {
  const candidates = [agent('c', 2, [['lost']]), agent('b', 1, [['lost']]), agent('a', 1, [['lost']])];
  expect(outcomes(candidates, 'lost')).toEqual({
    chosen: 'a',
    reason: 'conditions_hold',
    outcomes: [
      ['a', 'selected'],
      ['b', 'outranked'],
      ['c', 'outranked'],
    ],
  });
});

test('one group that holds is enough, and in a group every condition must hold', () => {
  expect(outcomes([agent('a', 1, [['lost'], ['pending']])], 'pending').chosen).toBe('a');
  expect(outcomes([agent('a', 1, [['lost', 'pending']])], 'pending').chosen).toBeNull();
});

test('without a match the default agent is selected, whatever its priority', () => {
  const candidates = [agent('a', 9, [], { is_default: true }), agent('b', 1, [['lost']]), agent('c', 2, [])];
  expect(outcomes(candidates, 'pending')).toEqual({
    chosen: 'a',
    reason: 'default',
    outcomes: [
      ['b', 'no_group_holds'],
      ['c', 'no_groups'],
      ['a', 'selected'],
    ],
  });
});

test('an agent that is not active is never selected, not even as the default', () => {
  const candidates = [
    agent('a', 1, [['lost']], { is_active: false }),
    agent('b', 2, [['lost']], { is_active: false, is_default: true }),
  ];
  expect(outcomes(candidates, 'lost')).toEqual({ chosen: null, reason: 'no_agent', outcomes: [['b', 'inactive']] });
  expect(chooseAgent([], { status: 'lost' })).toEqual({ agent: null, reason: 'no_agent', considered: [] });
});

test("the explanation has the outcome of each group and condition, and the lead's value", () => {
  const { considered } = chooseAgent([agent('a', 1, [['lost', 'pending'], ['pending']])], { status: 'pending' });
  const told = considered[0]?.condition_groups.map(({ group_index, holds, conditions }) => ({
    group_index,
    holds,
    conditions: conditions.map((condition) => [condition.value, condition.actual, condition.holds]),
  }));
  expect(told).toEqual([
    {
      group_index: 0,
      holds: false,
      conditions: [
        ['lost', 'pending', false],
        ['pending', 'pending', true],
      ],
    },
    { group_index: 1, holds: true, conditions: [['pending', 'pending', true]] },
  ]);
});

const anyAgents = fc
  .uniqueArray(
    fc.record({
      id: fc.uuid(),
      priority: fc.integer({ min: 0, max: 4 }),
      groups: fc.array(fc.array(fc.constantFrom(...leadStatuses), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      is_active: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 8 },
  )
  .chain((agents) => fc.tuple(fc.constant(agents), fc.option(fc.nat({ max: Math.max(0, agents.length - 1) }))))
  .map(([agents, defaultAt]) =>
    agents.map(({ id, priority, groups, is_active }, index) =>
      agent(id, priority, groups, { is_active, is_default: index === defaultAt }),
    ),
  );

test('for any agents and status the choice follows the rule, and the explanation agrees with it', () => {
  fc.assert(
    fc.property(anyAgents, fc.constantFrom(...leadStatuses), (agents, status) => {
      const matches = ({ condition_groups }: Candidate) =>
        condition_groups.some(({ conditions }) => conditions.every(({ value }) => value === status));
      const ranked = agents
        .filter(({ is_active }) => is_active)
        .sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id));
      const expected = ranked.find(matches) ?? ranked.find(({ is_default }) => is_default) ?? null;

      const { agent: chosen, reason, considered } = chooseAgent(agents, { status });
      expect(chosen).toBe(expected);
      expect(reason).toBe(!expected ? 'no_agent' : matches(expected) ? 'conditions_hold' : 'default');
      const selected = considered.filter(({ outcome }) => outcome === 'selected').map(({ agent_id }) => agent_id);
      expect(selected).toEqual(expected ? [expected.id] : []);
      for (const { id } of ranked) expect(considered.filter(({ agent_id }) => agent_id === id)).toHaveLength(1);
    }),
  );
});

test('the order of the candidates does not change the choice', () => {
  fc.assert(
    fc.property(anyAgents, fc.constantFrom(...leadStatuses), (agents, status) => {
      expect(chooseAgent(agents.toReversed(), { status })).toEqual(chooseAgent(agents, { status }));
    }),
  );
});
