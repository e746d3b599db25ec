import { newWamid, wamidOf } from '@mostrador/testing/providers/whatsapp/webhooks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageKeyOf } from './message-key.ts';

test.each([
  ['wamid.HBgNNTUyNzk5NzAzMDkzNhUCABIYFDNBRjE2OTUyOTNCNTlCM0IzRDQ0AA==', '3AF1695293B59B3B3D44'],
  ['wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA', '5F425A74F13033492A'],
])('%s is the id of the message %s', (id, key) => {
  expect(messageKeyOf(id)).toBe(key);
});

const address = fc.oneof(
  fc.stringMatching(/^[1-9][0-9]{7,14}$/),
  fc.stringMatching(/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,60}$/),
);

test('all ids of one message have one key, with each id of the customer and in both directions', () => {
  fc.assert(
    fc.property(address, fc.stringMatching(/^[0-9A-F]{16,40}$/), fc.boolean(), (customer, key, isFromCustomer) => {
      expect(messageKeyOf(wamidOf({ customer, key, isFromCustomer }))).toBe(key);
    }),
  );
});

test('an id of another form has no key', () => {
  for (const id of ['wamid.unknown', 'wamid.', 'sandbox.0198c1f4', '', 'wamid.GAhBQg=='])
    expect(messageKeyOf(id)).toBeNull();
  fc.assert(fc.property(fc.string(), (id) => void messageKeyOf(`wamid.${id}`)));
  for (let times = 0; times < 100; times += 1) expect(messageKeyOf(newWamid())).toBeNull();
});
