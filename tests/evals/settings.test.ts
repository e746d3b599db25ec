import { expect, test } from 'vitest';
import { help, settingsOf, WrongUsage } from './settings.ts';

const url = 'http://127.0.0.1:11434/v1';

test('a model plays the customers when it is named with its address', () => {
  const argv = ['--customer', 'qwen3:8b', '--customer-url', url, '--customer-key-env', 'KEY', '--trials', '4'];
  expect(settingsOf(argv, { KEY: 'k' })).toMatchObject({
    ...{ trials: 4, name: 'demo-by-qwen3:8b', answering: { provider: 'demo' } },
    simulatedBy: { connection: { url, model: 'qwen3:8b', apiKey: 'k' }, mostLines: 8 },
  });
  expect(settingsOf([], {})).toMatchObject({ simulatedBy: undefined, name: 'demo' });
});

test.each([
  [['--customer', 'm']],
  [['--customer', 'm', '--customer-url', 'localhost']],
  [['--customer-url', url]],
  [['--customer-lines', '3']],
  [['--customer', 'm', '--customer-url', url, '--customer-lines', '0']],
  [['--customer', 'm', '--customer-url', url, '--customer-key-env', 'NONE']],
])('%j is wrong usage', (argv) => expect(() => settingsOf(argv, {})).toThrow(WrongUsage));

test('the help names every option', () => {
  for (const option of ['--customer ', '--customer-url', '--customer-key-env', '--customer-lines']) {
    expect(help).toContain(option);
  }
});
