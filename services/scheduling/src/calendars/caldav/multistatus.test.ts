import { describe, expect, test } from 'vitest';
import { localName, readMultistatus } from './multistatus.ts';

const answer = (body: string, type = 'application/xml; charset=utf-8') =>
  new Response(body, { status: 207, headers: { 'content-type': type } });
const multistatus = (inner: string) =>
  `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${inner}</D:multistatus>`;
const found = (props: string, status = 'HTTP/1.1 200 OK') =>
  `<D:propstat><D:prop>${props}</D:prop><D:status>${status}</D:status></D:propstat>`;

describe('a multistatus', () => {
  test('has a response for each resource, with the properties that were found', async () => {
    const body = multistatus(
      `<D:response><D:href> /calendar/1.ics </D:href>${found('<C:calendar-data><![CDATA[BEGIN:VCALENDAR\r\nX]]></C:calendar-data>')}` +
        `${found('<D:getetag/>', 'HTTP/1.1 404 Not Found')}</D:response>` +
        `<response xmlns="DAV:"><href>20261127</href><status>HTTP/2 403 Forbidden</status></response>`,
    );
    const responses = await readMultistatus(answer(body));
    expect(responses).toMatchObject([
      { href: '/calendar/1.ics', status: undefined },
      { href: '20261127', status: 403, props: [] },
    ]);
    expect(responses?.[0]?.props.map((prop) => [localName(prop), prop.text])).toEqual([
      ['calendar-data', 'BEGIN:VCALENDAR\nX'],
    ]);
  });

  test('is no answer of another type, and no document of another kind', async () => {
    expect(await readMultistatus(answer(multistatus(''), 'text/html'))).toBeUndefined();
    expect(await readMultistatus(answer('<html><body>Welcome</body></html>', 'application/xhtml+xml'))).toBeUndefined();
    expect(await readMultistatus(answer(multistatus('')))).toEqual([]);
  });
});

/** The largest body that is read. */
const size = 256 * 1024;
const filled = (text: string) => text.repeat(size / text.length);

// Some parsers need minutes for these, because they collect an error for each character.
test.each([
  ['nothing', ''],
  ['text', filled('a')],
  ['JSON', filled('{"a":')],
  ['a key for each character', filled('"k":0,')],
  ['declarations that do not end', filled('<!')],
  ['brackets', filled('<')],
  ['tags that do not end', filled('<a>')],
  ['ends of what did not begin', `<a>${filled('</b>')}`],
  ['quotes', filled('<a "')],
  ['signs', `<a>${filled('&')}</a>`],
  ['an unknown entity', `<a>${filled('&b;')}</a>`],
  ['entities of its own', `<!DOCTYPE a [<!ENTITY b "c">]><a>${filled('&b;')}</a>`],
  ['a type that does not end', `<!DOCTYPE a [${filled('<')}`],
  ['text after the end', `<a/>${filled('b')}`],
  ['control characters', `<a>${filled('\u0001')}</a>`],
])('what cannot be read is rejected at its first error: %s', async (_, body) => {
  await expect(readMultistatus(answer(body))).rejects.toThrow();
});
