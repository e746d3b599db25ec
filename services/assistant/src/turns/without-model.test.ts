import { expect, test } from 'vitest';
import { mostModelCalls } from '../tools/step.ts';
import { mostAnswersOfHour, whySilent, withoutModel } from './without-model.ts';

const lead = { ai_paused_until: null, opted_out_at: null };
const able = { isOn: true, hasModel: true, lead, hasMessages: true };
const until = '2126-01-01T00:00:00.000Z';

test.each([
  [{}, undefined],
  [{ isOn: false, hasModel: false, lead: undefined }, 'switched_off'],
  [{ hasModel: false, lead: undefined }, 'no_model'],
  [{ lead: undefined, hasMessages: false }, 'lead_not_found'],
  [{ hasMessages: false, lead: { ...lead, ai_paused_until: until } }, 'nothing_to_answer'],
  [{ lead: { ai_paused_until: until, opted_out_at: until } }, 'ai_paused'],
  [{ lead: { ...lead, opted_out_at: until } }, 'lead_opted_out'],
] as const)('with %o the AI is silent because of %s', (changed, reason) => {
  expect(whySilent({ ...able, ...changed })).toBe(reason);
});

const asked = { text: 'oi', conversation: [], pleaseWrite: 'Please write.', calls: 0, answered: 0 } as const;
const said = (text: string) => ({ conversation: [{ from: 'store' as const, text }] });

test.each([
  [{}, undefined],
  [{ text: '' }, 'please_write'],
  [{ text: '', ...said('Hello.') }, 'please_write'],
  [{ text: '', ...said('Please write.') }, 'no_text'],
  [{ calls: mostModelCalls, answered: mostAnswersOfHour }, 'too_many_steps'],
  [{ calls: mostModelCalls - 1, answered: mostAnswersOfHour - 1 }, undefined],
  [{ answered: mostAnswersOfHour }, 'too_many_answers'],
] as const)('with %o no model is asked: %s', (changed, expected) => {
  expect(withoutModel({ ...asked, ...changed } as Parameters<typeof withoutModel>[0])).toBe(expected);
});
