import { expect, test } from 'vitest';
import { readTemplate } from './template.ts';

test('each line is the value of a variable', () => {
  expect(readTemplate('ready', 'pt_BR', ' Helena \n\n15h')).toEqual({
    name: 'ready',
    language: 'pt_BR',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Helena' },
          { type: 'text', text: '15h' },
        ],
      },
    ],
  });
  expect(readTemplate('ready', 'pt_BR', '')).toEqual({ name: 'ready', language: 'pt_BR' });
});
