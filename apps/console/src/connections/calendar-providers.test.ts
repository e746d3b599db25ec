import { expect, test } from 'vitest';
import { fullAddress } from './calendar-providers.ts';

test.each([
  ['caldav.example.com/ana/agenda', 'https://caldav.example.com/ana/agenda'],
  ['localhost:5232/ana', 'https://localhost:5232/ana'],
  ['http://127.0.0.1:5232/ana', 'http://127.0.0.1:5232/ana'],
  ['HTTPS://example.com', 'HTTPS://example.com'],
  ['', ''],
])('the address %s of a calendar becomes %s', (text, address) => {
  expect(fullAddress(text)).toBe(address);
});
