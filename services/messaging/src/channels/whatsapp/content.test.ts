import { maxContentBytes } from '@mostrador/contracts';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContent, readMedia } from './content.ts';

const digest = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=';
const digestInHex = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const file = { mime_type: 'image/jpeg', filename: null, size_bytes: null, sha256: null, voice: false, animated: false };

test.each([
  ['image', { mime_type: 'image/jpeg', sha256: digest, id: '1' }, { ...file, sha256: digestInHex }],
  [
    'audio',
    { mime_type: 'audio/ogg; codecs=opus', voice: true },
    { ...file, mime_type: 'audio/ogg; codecs=opus', voice: true },
  ],
  ['document', { filename: 'a.pdf', file_size: '12' }, { ...file, mime_type: null, filename: 'a.pdf', size_bytes: 12 }],
  ['sticker', { mime_type: 'image/webp', animated: true }, { ...file, mime_type: 'image/webp', animated: true }],
  ['video', { mime_type: 7, sha256: 'short', file_size: -1 }, { ...file, mime_type: null }],
  ['text', { body: 'x' }, undefined],
  ['image', 'no object', undefined],
])('the file of %s %j', (kind, content, expected) => {
  expect(readMedia(kind, content)).toEqual(expected ? { ...expected, state: 'not_fetched' } : null);
});

const contentOf = ({ type, ...members }: { type: string; [name: string]: unknown }) => readContent(type, members[type]);

test.each([
  [contents.location(), { latitude: -23.55, longitude: -46.63, name: 'Praça', address: 'Centro' }],
  [contents.contacts(), { contacts: [{ name: 'Ana', organization: null, phones: ['+55 11 91234-5678'], emails: [] }] }],
  [contents.buttonReply('Sim'), { kind: 'button', id: 'yes', title: 'Sim' }],
  [contents.listReply('Corte'), { kind: 'list', id: 'cut', title: 'Corte', description: '30 min' }],
  [contents.flowReply(), { kind: 'flow', title: 'flow', fields: { day: '2026-12-01' } }],
  [contents.button('Confirmar', 'ok'), { kind: 'button', id: 'ok', title: 'Confirmar' }],
  [
    contents.order(),
    { catalog_id: '194836987003835', items: [{ product_id: 'di9ozbzfi4', quantity: 2, price: 7.99, currency: 'USD' }] },
  ],
  [contents.text(), null],
  [contents.image('Look'), null],
  [contents.unsupported('poll_creation'), null],
  [contents.novelty(), null],
])('the content of %j', (entry, expected) => {
  expect(contentOf(entry as never)).toEqual(expected);
});

test.each([
  ['location', {}],
  ['location', { latitude: 'north', longitude: 1 }],
  ['location', { latitude: 91, longitude: 1 }],
  ['contacts', {}],
  ['order', { product_items: {} }],
  ['interactive', { type: 'call_permission_reply' }],
])('a %s that is not understood has no content: %j', (kind, content) => {
  expect(readContent(kind, content)).toBeNull();
});

const told = contents.fromAd().referral;
const { image_url: _, welcome_message: __, ...referral } = told;

test.each([
  ['text', { body: 'Oi' }, {}],
  ['location', { latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2 }],
  ['image', {}, {}],
])('a %s has the ad that the customer tapped', (kind, content, said) => {
  expect(readContent(kind, content, { referral: told })).toEqual({ ...said, referral });
});

test.each([
  // An ad in WhatsApp's Status has no click.
  [
    { source_type: 'ad', source_id: '1', ctwa_clid: undefined },
    { source_type: 'ad', source_id: '1' },
  ],
  [{ source_type: 'post', source_url: 'javascript:alert(1)' }, { source_type: 'post' }],
  [{ headline: 7, body: 'x'.repeat(2000), ctwa_clid: 'x'.repeat(600) }, { body: 'x'.repeat(1000) }],
  [{ welcome_message: { text: 'Hi' } }, undefined],
  [{}, undefined],
  ['ad', undefined],
  [null, undefined],
])('of the ad %j it knows %j', (told, known) => {
  expect(readContent('text', { body: 'Oi' }, { referral: told })).toEqual(known ? { referral: known } : null);
});

test('a place links only to a web page', () => {
  const at = { latitude: '1.5', longitude: 2 };
  expect(readContent('location', { ...at, url: 'https://x.example/a' })).toEqual({
    latitude: 1.5,
    longitude: 2,
    url: 'https://x.example/a',
  });
  expect(readContent('location', { ...at, url: 'javascript:alert(1)' })).toEqual({ latitude: 1.5, longitude: 2 });
});

test('a content that is too large loses its end, and says so', () => {
  const cards = Array.from({ length: 60 }, () => ({
    name: { formatted_name: 'x'.repeat(400) },
    phones: [{ phone: '1' }],
  }));
  const read = readContent('contacts', cards);
  expect(read).toMatchObject({ truncated: true });
  expect(read?.contacts?.length).toBeGreaterThan(10);
  const flow = { nfm_reply: { name: 'f', response_json: JSON.stringify({ a: 'x'.repeat(20_000) }) } };
  expect(readContent('interactive', flow)).toEqual({ kind: 'flow', title: 'f', truncated: true });
  // Each character takes six bytes as JSON.
  const said = '\u0001'.repeat(1000);
  const place = { latitude: 1, longitude: 2, name: said, address: said };
  const kept = { latitude: 1, longitude: 2, name: said, address: said, truncated: true };
  expect(readContent('location', place, { referral: { ...referral, body: said } })).toEqual(kept);
});

test('whatever comes can be read and kept', () => {
  const kinds = fc.constantFrom('location', 'contacts', 'interactive', 'button', 'order', 'image', 'hologram');
  fc.assert(
    fc.property(kinds, fc.jsonValue(), fc.jsonValue(), (kind, content, referral) => {
      readMedia(kind, content);
      const read = readContent(kind, content, { referral, context: referral });
      expect(Buffer.byteLength(JSON.stringify(read))).toBeLessThanOrEqual(maxContentBytes);
      expect(JSON.stringify(read)).not.toContain('\\u0000');
    }),
  );
});

test('the product that a customer asks about is read beside the text, and so is that a message is forwarded', () => {
  const asked = contents.aboutProduct();
  const read = (context: unknown) => readContent('text', { body: 'Oi' }, { context });
  expect(read(asked.context)).toEqual({ product: { catalog_id: '194836987003835', product_id: 'oculos-azul' } });
  expect(read({ referred_product: { catalog_id: '1' } })).toBeNull();
  expect(read({ forwarded: true })).toEqual({ forwarded: true });
  expect(read({ frequently_forwarded: true })).toEqual({ forwarded: true });
  expect(read({ id: 'wamid.1', forwarded: false })).toBeNull();
});
