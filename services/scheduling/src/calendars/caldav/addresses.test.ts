import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameAddress, memberAddress } from './addresses.ts';

const collection = new URL('https://cal.example.com/dav/loja@exemplo.com/agenda/');
const member = (href: string) => memberAddress(collection, href);

describe('the address of a member', () => {
  test.each([
    ['a path', '/dav/loja@exemplo.com/agenda/x.ics'],
    ['an escaped @', '/dav/loja%40exemplo.com/agenda/x.ics'],
    ['escaped unreserved characters', '/d%61v/loja%40exemplo%2Ecom/%61genda/x.ics'],
    ['a path below the collection', 'x.ics'],
    ['an absolute address', 'https://cal.example.com/dav/loja@exemplo.com/agenda/x.ics'],
    ['an explicit port', 'https://cal.example.com:443/dav/loja%40exemplo.com/agenda/x.ics'],
    ['a host in capital letters', 'HTTPS://CAL.Example.COM/dav/loja%40exemplo.com/agenda/x.ics'],
    ['the scheme and host behind a proxy', 'http://10.0.0.5:5232/dav/loja%40exemplo.com/agenda/x.ics'],
    ['a prefix that the proxy removes', '/radicale/dav/loja%40exemplo.com/agenda/x.ics'],
    ['a prefix that the proxy adds', '/loja%40exemplo.com/agenda/x.ics'],
    ['a prefix that the proxy replaces', '/remote.php/loja%40exemplo.com/agenda/x.ics'],
    ['nothing of the path that a client sees', '/calendars/7/x.ics'],
    ['a slash at the end', '/dav/loja@exemplo.com/agenda/x.ics/'],
    ['two slashes', '/dav//loja@exemplo.com/agenda//x.ics'],
    ['dot segments', '/dav/loja@exemplo.com/other/../agenda/./x.ics'],
    ['a scheme-relative address', '//cal.example.com/dav/loja@exemplo.com/agenda/x.ics'],
  ])('is the same with %s', (_, href) => {
    expect(member(href)).toBe('https://cal.example.com/dav/loja@exemplo.com/agenda/x.ics');
  });

  test.each([
    ['/dav/loja@exemplo.com/agenda/'],
    ['/dav/loja%40exemplo.com/agenda'],
    ['http://10.0.0.5:5232/radicale/dav/loja%40exemplo.com/agenda/'],
    ['/loja%40exemplo.com/agenda/'],
    ['/agenda'],
    ['/'],
    [''],
    ['mailto:loja@exemplo.com'],
    ['https://'],
  ])('is none for %j', (href) => {
    expect(member(href)).toBeUndefined();
  });

  test('keeps the spelling of its name, also with a colon or an escaped slash', () => {
    expect(member('/agenda/a%2Fb.ics')).toBe(`${collection.href}a%2Fb.ics`);
    expect(member('/agenda/urn:uuid:7.ics')).toBe(`${collection.href}urn:uuid:7.ics`);
    expect(member('/agenda/%E9.ics')).toBe(`${collection.href}%E9.ics`);
    expect(member('/agenda/100%.ics')).toBe(`${collection.href}100%.ics`);
  });

  test('in a collection at the root is found', () => {
    expect(memberAddress(new URL('https://cal.example.com/'), '/x.ics')).toBe('https://cal.example.com/x.ics');
    expect(memberAddress(new URL('https://cal.example.com/'), '/')).toBeUndefined();
  });
});

/** Escapes each character or not, with digits in either case. */
const spelled = (text: string) =>
  fc.array(fc.constantFrom('as is', 'lower', 'upper'), { minLength: text.length, maxLength: text.length }).map((ways) =>
    [...Buffer.from(text)]
      .map((byte, index) => {
        const plain = String.fromCharCode(byte);
        const escaped = `%${byte.toString(16).padStart(2, '0')}`;
        const way = ways[index] ?? 'lower';
        if (way === 'as is' && /[\w.~!$&'()*+,;=:@-]/.test(plain)) return plain;
        return way === 'upper' ? escaped.toUpperCase() : escaped;
      })
      .join(''),
  );
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((text) => text.toWellFormed())
  .filter((text) => !/^\.{0,2}$/.test(text));
const path = fc.array(name, { minLength: 1, maxLength: 4 });
const spelledPath = (names: readonly string[]) =>
  fc
    .tuple(...names.map(spelled), fc.constantFrom('', '/'))
    .map((parts) => `/${parts.slice(0, -1).join('/')}${parts.at(-1)}`);

test('two spellings of any path are one address, and other paths are others', () => {
  const spellings = path.chain((names) => fc.tuple(fc.constant(names), spelledPath(names), spelledPath(names)));
  fc.assert(
    fc.property(spellings, path, ([names, one, other], others) => {
      const address = (spelling: string) => `https://cal.example.com${spelling}`;
      expect(isSameAddress(address(one), address(other))).toBe(true);
      const isOther = JSON.stringify(names) !== JSON.stringify(others);
      const plain = `/${others.map(encodeURIComponent).join('/')}`;
      expect(isSameAddress(address(one), address(plain))).toBe(!isOther);
    }),
  );
});

test.each([
  ['https://cal.example.com/a', 'https://other.example.com/a'],
  ['https://cal.example.com/a', 'http://cal.example.com/a'],
  ['https://cal.example.com/a%2Fb', 'https://cal.example.com/a/b'],
  ['https://cal.example.com/a', 'https://cal.example.com/A'],
])('%s and %s are two addresses', (one, other) => {
  expect(isSameAddress(one, other)).toBe(false);
});

test('in any spelling, and behind any proxy, the member keeps its name', () => {
  const cases = fc
    .record({ collectionPath: path, prefix: fc.array(name, { maxLength: 2 }), member: name })
    .filter(({ collectionPath, member: own }) => own !== collectionPath.at(-1))
    .chain(({ collectionPath, prefix, member: own }) =>
      fc.record({
        own: fc.constant(own),
        base: spelledPath(collectionPath),
        href: spelledPath([...prefix, ...collectionPath, own]),
        host: fc.constantFrom('', 'http://10.0.0.5:5232', 'https://cal.example.com'),
      }),
    );
  fc.assert(
    fc.property(cases, ({ own, base, href, host }) => {
      const at = new URL(`https://cal.example.com${base}`);
      if (!at.pathname.endsWith('/')) at.pathname += '/';
      const found = memberAddress(at, `${host}${href}`);
      expect(found?.startsWith(at.href)).toBe(true);
      expect(isSameAddress(String(found), `${at.href}${encodeURIComponent(own)}`)).toBe(true);
    }),
  );
});
