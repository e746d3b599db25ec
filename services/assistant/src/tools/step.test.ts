import { expect, test } from 'vitest';
import { type CallRow, isForPerson } from './step.ts';

test('a person decides about effects, and not about what was only looked up, was not allowed, or did not come to it', () => {
  const call = (tool: string, output: CallRow['output']) => ({ tool, output }) as CallRow;
  const asked = [
    call('cancel', null),
    call('book', { error: 'declined' }),
    call('move', { error: 'appointment_conflict' }),
    call('book', { error: 'outcome_unknown' }),
    call('update_lead', { lead: {} }),
  ];
  const others = [
    call('find_times', { times: [] }),
    call('book', { error: 'handed_over' }),
    call('cancel', { error: 'invalid_input' }),
    call('teleport', { error: 'tool_not_offered' }),
    call('cancel', { error: 'not_asked' }),
    call('cancel', { error: 'customer_wrote_more' }),
    call('move', { error: 'ai_paused' }),
  ];
  expect([...others, ...asked].filter(isForPerson)).toEqual(asked);
});
