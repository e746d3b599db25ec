const namespaces = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"';
const declaration = '<?xml version="1.0" encoding="utf-8"?>';

type XmlRequest = {
  readonly method: 'PROPFIND' | 'REPORT';
  readonly headers: Record<string, string>;
  readonly body: string;
};

/** Asks for properties of a resource itself (RFC 4918 9.1), such as `<d:resourcetype/>`. */
export const propertiesRequest = (properties: string): XmlRequest => ({
  method: 'PROPFIND',
  headers: headersOf('0'),
  body: `${declaration}<d:propfind ${namespaces}><d:prop>${properties}</d:prop></d:propfind>`,
});

/** Asks for a property of the events in a calendar that pass a filter (RFC 4791 7.8). */
export const eventsRequest = (property: string, filter: string): XmlRequest => ({
  method: 'REPORT',
  headers: headersOf('1'),
  body:
    `${declaration}<c:calendar-query ${namespaces}><d:prop>${property}</d:prop><c:filter><c:comp-filter name="VCALENDAR">` +
    `<c:comp-filter name="VEVENT">${filter}</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`,
});

/** A filter for events that are not over at this moment (RFC 4791 9.9). */
export const timeRange = (after: Date): string =>
  `<c:time-range start="${after.toISOString().replaceAll(/[-:]|\.\d+/g, '')}"/>`;

/** Asks for what has changed in a collection since the token (RFC 6578 3.2). */
export const syncRequest = (token: string): XmlRequest => ({
  method: 'REPORT',
  headers: headersOf('0'),
  body:
    `${declaration}<d:sync-collection ${namespaces}><d:sync-token>${escaped(token)}</d:sync-token>` +
    '<d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>',
});

/** Asks for the objects at these paths (RFC 4791 7.9). */
export const multigetRequest = (paths: readonly string[]): XmlRequest => ({
  method: 'REPORT',
  headers: headersOf('1'),
  body:
    `${declaration}<c:calendar-multiget ${namespaces}><d:prop><d:getetag/><c:calendar-data/></d:prop>` +
    `${paths.map((path) => `<d:href>${escaped(path)}</d:href>`).join('')}</c:calendar-multiget>`,
});

/** Text as the content of an element. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const headersOf = (depth: string) => ({ depth, 'content-type': 'application/xml; charset=utf-8' });
