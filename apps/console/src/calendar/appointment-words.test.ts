import { expect, test } from 'vitest';
import { overwriteGetLocale } from '../paraglide/runtime.js';
import { wordsOfSync } from './appointment-words.ts';

test('the reason why an appointment is late is in the language of the person, whatever the provider said', () => {
  overwriteGetLocale(() => 'pt-BR');
  const sayings = ['calendar_unreachable', 'calendar_timeout', 'calendar_throttled', 'calendar_tls_failed'].map(
    (code) =>
      wordsOfSync({
        state: 'pending',
        last_error: { code, detail: 'The calendar could not be reached.' },
        reason: null,
      }).why,
  );
  const late = 'O provedor da agenda não responde agora.';
  expect(sayings.slice(0, 3)).toEqual([late, late, late]);
  expect(sayings[3]).toMatch(/certificado/);
});
