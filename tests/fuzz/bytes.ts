import type { Random } from '@mostrador/testing/random';

/** Bytes that often break parsers. */
const nasty = [
  '\0',
  '\r\n',
  '\n\n',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\ud83d',
  '{',
  '[',
  '}',
  ']',
  ':',
  ',',
  '-0',
  '1e999',
  '9007199254740993',
  '__proto__',
  'constructor',
  '\u202e',
  '\ufeff',
  '%00',
  '%ff',
  '../',
  "' or 1=1 --",
  '{{7*7}}',
  'NaN',
  'null',
].map((text) => Buffer.from(text));

export function randomBytes(random: Random, most: number): Buffer {
  const bytes = Buffer.alloc(random.below(most + 1));
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = random.below(256);
  return bytes;
}

/** The bytes with one to four pieces removed, doubled, or replaced by nasty or random bytes. */
export function mutated(random: Random, original: Buffer): Buffer {
  let bytes = original;
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(bytes.length + 1);
    const length = random.below(Math.min(40, bytes.length - at + 1));
    const piece = random.pick([
      () => Buffer.alloc(0),
      () => random.pick(nasty),
      () => randomBytes(random, 12),
      () => Buffer.concat([bytes.subarray(at, at + length), bytes.subarray(at, at + length)]),
    ])();
    bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + length)]);
  }
  return bytes;
}

/** Valid or invalid JSON that is deep, wide or long. `size` is in bytes, approximately. */
export function heavyJson(random: Random, size: number): string {
  return random.pick([
    () => '['.repeat(size),
    () => '{"a":'.repeat(size / 5),
    () => `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
    () => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
    () => `{"title":"${'a'.repeat(size)}"}`,
    () => `{"title":"${'\\u0041'.repeat(size / 6)}"}`,
    () => `{${Array.from({ length: size / 10 }, (_, index) => `"k${index}":0`).join(',')}}`,
    () => `{${'"title":"a",'.repeat(size / 12)}"title":"b"}`,
    () => `[${'1,'.repeat(size / 2)}1]`,
    () => `{"duration_minutes":${'9'.repeat(size)}}`,
    () => `{"__proto__":{"title":"a"},"constructor":{"prototype":{"title":"b"}}}`,
    () => `"${'\\ud800'.repeat(size / 6)}"`,
  ])();
}

/** A random JSON value. */
export function anyValue(random: Random, depth = 3): unknown {
  const kinds = depth > 0 ? 9 : 7;
  switch (random.below(kinds)) {
    case 0:
      return null;
    case 1:
      return random.next() < 0.5;
    case 2:
      return random.below(100) - 50;
    case 3:
      return random.next() * 10 ** random.below(300);
    case 4:
      return randomBytes(random, 30).toString('latin1');
    case 5:
      return random.pick(nasty).toString('utf8');
    case 6:
      return random.pick(['', '2027-01-31T09:00:00Z', '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a', '5511987654321']);
    case 7:
      return Array.from({ length: random.below(5) }, () => anyValue(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          randomBytes(random, 6).toString('latin1'),
          anyValue(random, depth - 1),
        ]),
      );
  }
}

/** The JSON value with random parts replaced or left out. */
export function disturbed(random: Random, value: unknown, chance = 0.15): unknown {
  if (random.next() < chance) return anyValue(random);
  if (Array.isArray(value)) return value.map((each) => disturbed(random, each, chance));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      random.next() < chance / 2 ? [] : [[name, disturbed(random, each, chance)]],
    ),
  );
}
