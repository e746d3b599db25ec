import { expect, test } from 'vitest';
import { readTemplate } from './followup-template.ts';

test('each line is the value of a variable', () => {
  expect(readTemplate(' reminder ', 'pt_BR', 'Ana\n\n 15:00 \n')).toEqual({
    name: 'reminder',
    language: 'pt_BR',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ana' },
          { type: 'text', text: '15:00' },
        ],
      },
    ],
  });
});

test('without values there are no components, and without a name there is no template', () => {
  expect(readTemplate('reminder', 'en', ' ')).toEqual({ name: 'reminder', language: 'en' });
  expect(readTemplate(' ', 'en', 'Ana')).toBeUndefined();
});
