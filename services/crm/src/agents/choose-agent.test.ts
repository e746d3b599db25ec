import { conditionOperators, conditionTypes, type Lead, leadStatuses } from '@mostrador/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, chooseAgent, type Facts } from './choose-agent.ts';

type Status = Lead['status'];
const of = (status: Status): Facts => ({ status, seller_id: null, tags: [], at: 0 });

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
  const { agent: chosen, reason, considered } = chooseAgent(candidates, of(status));
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
  const told = [
    ['a', 'inactive'],
    ['b', 'inactive'],
  ];
  expect(outcomes(candidates, 'lost')).toEqual({ chosen: null, reason: 'no_agent', outcomes: told });
  expect(chooseAgent([], of('lost'))).toEqual({
    agent: null,
    reason: 'no_agent',
    condition_group: null,
    considered: [],
  });
});

test("the explanation has the outcome of each group and condition, and the lead's value", () => {
  const { considered } = chooseAgent([agent('a', 1, [['lost', 'pending'], ['pending']])], of('pending'));
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

      const { agent: chosen, reason, condition_group, considered } = chooseAgent(agents, of(status));
      expect(chosen).toBe(expected);
      expect(condition_group !== null).toBe(reason === 'conditions_hold');
      expect(reason).toBe(!expected ? 'no_agent' : matches(expected) ? 'conditions_hold' : 'default');
      const selected = considered.filter(({ outcome }) => outcome === 'selected').map(({ agent_id }) => agent_id);
      expect(selected).toEqual(expected ? [expected.id] : []);
      expect(considered.map(({ agent_id }) => agent_id).sort()).toEqual(agents.map(({ id }) => id).sort());
      for (const { outcome, failed_condition } of considered) {
        expect(failed_condition !== null).toBe(outcome === 'no_group_holds');
      }
    }),
  );
});

test('the order of the candidates does not change the choice', () => {
  fc.assert(
    fc.property(anyAgents, fc.constantFrom(...leadStatuses), (agents, status) => {
      expect(chooseAgent(agents.toReversed(), of(status))).toEqual(chooseAgent(agents, of(status)));
    }),
  );
});

test('the answer names the group that held, and of each other agent the first condition that failed', () => {
  const candidates = [
    agent('a', 1, [['pending'], ['lost', 'pending']]),
    agent('b', 2, [['pending'], ['lost']]),
    agent('c', 3, [['lost']]),
  ];
  const { condition_group, considered } = chooseAgent(candidates, of('lost'));
  expect(condition_group).toMatchObject({ id: 'b-1', holds: true, conditions: [{ id: 'b-1-0', actual: 'lost' }] });
  expect(considered.map(({ failed_condition }) => failed_condition?.id)).toEqual(['a-0-0', undefined, undefined]);
});

type Compared = Partial<Candidate['condition_groups'][number]['conditions'][number]>;
/** Whether an agent with this one condition is selected, and what was compared. */
const weigh = (condition: Compared, facts: Partial<Facts>) => {
  const base = { id: 'x', condition_type: 'lead_status', operator: '=', value: 'pending' };
  const group = { id: 'g', group_index: 0, logical_operator: 'AND', conditions: [{ ...base, ...condition }] };
  const only = agent('a', 1, [], { condition_groups: [group] });
  const { considered } = chooseAgent([only], { ...of('pending'), ...facts });
  const weighed = considered[0]?.condition_groups[0]?.conditions[0];
  return [weighed?.holds, weighed?.actual];
};

const ana = '0198c1f4-0000-7000-8000-00000000000a';
const rui = '0198c1f4-0000-7000-8000-00000000000b';
test.each<[string, string, string, Partial<Facts>, boolean, string]>([
  ['lead_status', '!=', 'lost', {}, true, 'pending'],
  ['lead_status', 'in', 'lost, pending', {}, true, 'pending'],
  ['lead_status', 'not_in', 'lost,pending', {}, false, 'pending'],
  ['seller', '=', ana.toUpperCase(), { seller_id: ana }, true, ana],
  ['seller', '=', 'none', {}, true, 'none'],
  ['seller', '!=', 'none', { seller_id: ana }, true, ana],
  ['seller', 'in', `${rui},none`, { seller_id: ana }, false, ana],
  ['seller', 'not_in', `${rui},none`, { seller_id: ana }, true, ana],
  ['tag', '=', 'VIP', { tags: ['vip', 'novo'] }, true, 'VIP'],
  ['tag', 'contains', 'VIP', { tags: ['vip'] }, true, 'VIP'],
  ['tag', '=', 'vi', { tags: ['vip'] }, false, ''],
  ['tag', '!=', 'vip', {}, true, ''],
  ['tag', 'in', 'b2b, vip, novo', { tags: ['vip', 'novo'] }, true, 'vip, novo'],
  ['tag', 'not_in', 'b2b, vip', { tags: ['vip'] }, false, 'vip'],
  ['message_contains', '=', 'preço', { message: 'Qual o PRECO do corte?' }, true, 'preço'],
  ['message_contains', 'contains', 'oi, tudo', { message: 'Oi,\ntudo bem?' }, true, 'oi, tudo'],
  ['message_contains', 'contains', 'preço', { message: 'Bom dia' }, false, ''],
  ['message_contains', '!=', 'preço', { message: 'Bom dia' }, true, ''],
  ['message_contains', 'in', 'preço, valor', { message: 'Que valores!' }, true, 'valor'],
  ['message_contains', 'not_in', 'preço, valor', { message: 'Bom dia' }, true, ''],
  ['message_contains', '!=', 'preço', {}, false, ''],
  ['message_contains', 'contains', '\u0301', { message: 'Bom dia' }, false, ''],
  ['language', '=', 'pt', { language: 'pt-BR' }, true, 'pt-BR'],
  ['language', '=', 'pt-br', { language: 'pt-BR' }, true, 'pt-BR'],
  ['language', '=', 'pt-BR', { language: 'pt' }, false, 'pt'],
  ['language', '=', 'p', { language: 'pt' }, false, 'pt'],
  ['language', 'in', 'es, pt', { language: 'pt-PT' }, true, 'pt-PT'],
  ['language', '!=', 'es', {}, false, ''],
  ['first_contact', '=', 'true', { first_contact: true }, true, 'true'],
  ['first_contact', '!=', 'true', { first_contact: false }, true, 'false'],
  ['first_contact', '!=', 'true', {}, false, ''],
  // What the API refuses does not hold.
  ['first_contact', 'in', 'true', { first_contact: true }, false, 'true'],
  ['lead_status', 'contains', 'pending', {}, false, 'pending'],
  ['lead_status', '>', 'pending', {}, false, 'pending'],
  ['moon_phase', '=', 'pending', {}, false, ''],
  ['constructor', '!=', 'pending', {}, false, ''],
])('%s %s %s', (condition_type, operator, value, facts, holds, actual) => {
  expect(weigh({ condition_type, operator, value }, facts)).toEqual([holds, actual]);
});

describe('business_hours', () => {
  // A Wednesday: 09:30 in São Paulo, 13:30 in Lisbon.
  const at = Date.parse('2027-06-16T12:30:00Z');
  const lunch = [
    { weekday: 3, from: '09:00', to: '12:00' },
    { weekday: 3, from: '14:00', to: '18:00' },
  ];
  const asked = (facts: Partial<Facts>, more: Compared = {}) =>
    weigh({ condition_type: 'business_hours', value: 'open', ...more }, { at, ...facts });
  const inBrazil = { timezone: 'America/Sao_Paulo' };

  test('holds by several periods of the condition, in its zone or that of the store', () => {
    expect(asked(inBrazil, { hours: lunch })).toEqual([true, 'open']);
    expect(asked(inBrazil, { hours: lunch, timezone: 'Europe/Lisbon' })).toEqual([false, 'closed']);
    expect(asked({ ...inBrazil, at: at + 6 * 3_600_000 }, { hours: lunch })).toEqual([true, 'open']);
    expect(asked({ ...inBrazil, at: at + 24 * 3_600_000 }, { hours: lunch })).toEqual([false, 'closed']);
    expect(asked(inBrazil, { hours: lunch, operator: '!=' })).toEqual([false, 'open']);
    expect(asked(inBrazil, { hours: lunch, value: 'closed' })).toEqual([false, 'open']);
  });

  test('without hours of its own holds by the store’s, whose exceptions count', () => {
    const rules = { hours: lunch, exceptions: [{ date: '2027-06-16', hours: [] }] };
    expect(asked({ ...inBrazil, rules: { hours: lunch, exceptions: [] } })).toEqual([true, 'open']);
    expect(asked({ ...inBrazil, rules })).toEqual([false, 'closed']);
  });

  test('never holds when the hours or their zone are not known', () => {
    expect(asked(inBrazil)).toEqual([false, '']);
    expect(asked(inBrazil, { operator: '!=' })).toEqual([false, '']);
    expect(asked({}, { hours: lunch })).toEqual([false, '']);
  });
});

test('an unknown type or operator never holds, whatever the rest of the condition and of the lead', () => {
  const known: readonly string[] = conditionTypes;
  const comparable: readonly string[] = conditionOperators;
  const texts = fc.oneof(fc.string(), fc.constantFrom('', 'toString', '__proto__', 'pending', 'true', 'open'));
  const either = fc.oneof(
    fc.record({
      condition_type: texts.filter((text) => !known.includes(text)),
      operator: fc.constantFrom(...comparable),
    }),
    fc.record({
      condition_type: fc.constantFrom(...known),
      operator: texts.filter((text) => !comparable.includes(text)),
    }),
  );
  fc.assert(
    fc.property(either, texts, texts, fc.boolean(), (condition, value, message, first_contact) => {
      const facts = { message, first_contact, language: 'pt-BR', timezone: 'UTC', tags: [value] };
      expect(weigh({ ...condition, value }, { ...facts, rules: { hours: null, exceptions: [] } })[0]).toBe(false);
    }),
  );
});
