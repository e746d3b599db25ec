import { readFileSync } from 'node:fs';
import { canonicalPhone } from '@mostrador/kit/phones/canonical-phone';
import { readPhone } from '@mostrador/kit/phones/read-phone';
import { describe, expect, test } from 'vitest';
import { channelErrorOf, failureOf } from '../whatsapp/errors.ts';
import { answerTo, behaviourOf, magicOutcome } from './magic-numbers.ts';

const range = Array.from({ length: 100 }, (_, index) => `120155501${String(index).padStart(2, '0')}`);
const magic = range.filter((phone) => magicOutcome(phone) !== undefined);
const kinds = (phone: string, attempts = 4) =>
  Array.from({ length: attempts }, (_, index) => answerTo(behaviourOf(phone), index + 1).kind);
const guide = readFileSync(new URL('../../../../../docs/guides/sandbox.md', import.meta.url), 'utf8');
/** The rows of the guide's tables that begin with the last two digits of a number. */
const documented = [...guide.matchAll(/^\| `(\d\d)`(?: +\| `(\d\d)`)? /gm)];

describe('a magic number', () => {
  test('is valid as a phone of a lead, and has one form only', () => {
    for (const phone of magic) {
      for (const country of [null, 'US', 'BR', 'MX']) expect(readPhone(phone, country)).toEqual({ kind: 'one', phone });
      expect(readPhone(`+1 (201) 555-01${phone.slice(-2)}`, 'BR')).toEqual({ kind: 'one', phone });
      expect(canonicalPhone(phone)).toBe(phone);
    }
  });

  test.each(['12015550200', '12025550100', '5512015550100', '1201555010', '120155501000', '5511900000001'])(
    'is no number outside of the reserved range: %s',
    (phone) => {
      expect(magicOutcome(phone)).toBeUndefined();
      expect(behaviourOf(phone)).toEqual({
        answers: [{ kind: 'accepted' }],
        answersAfterMs: 0,
        arrivesAfterMs: 0,
        updates: [],
      });
    },
  );

  test('is in the guide, and the guide has no other', () => {
    const digits = documented.flatMap(([, one, other]) => [one, other]).filter((each) => each !== undefined);
    expect(digits.toSorted()).toEqual(magic.map((phone) => phone.slice(-2)));
  });
});

describe('an attempt', () => {
  test('that is repeated gets the next answer, and then always the last one', () => {
    expect(kinds('12015550109')).toEqual(['refused', 'refused', 'accepted', 'accepted']);
    expect(kinds('12015550111')).toEqual(['unreachable', 'unreachable', 'accepted', 'accepted']);
    expect(kinds('12015550112')).toEqual(['unreachable', 'unreachable', 'unreachable', 'unreachable']);
    expect(kinds('5511900000001', 1)).toEqual(['accepted']);
  });

  test.each(Array.from({ length: 16 }, (_, index) => index))(
    'of a refusing number fails with the code that the guide names, at once or later (%i)',
    (index) => {
      const [at, later] = [range[20 + index] as string, range[50 + index] as string];
      const answer = answerTo(behaviourOf(at), 1);
      if (answer.kind !== 'refused') throw new Error('it is not refused');
      const { code, kind } = channelErrorOf(answer);
      const isOfChannel = [25, 26].includes(20 + index);
      expect(kind).toBe(isOfChannel ? 'channel' : 'refused');
      expect(kinds(at, 2)[1]).toBe(isOfChannel ? 'accepted' : 'refused');
      const [update, ...others] = behaviourOf(later).updates;
      expect(others).toEqual([]);
      expect(update).toMatchObject({ status: 'failed', code: answer.code });
      expect(failureOf(answer.code).code).toBe(code);
      expect(guide).toMatch(new RegExp(`^\\| \`${at.slice(-2)}\` +\\| \`${later.slice(-2)}\` +\\| \`${code}\` `, 'm'));
    },
  );
});
