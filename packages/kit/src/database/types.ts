import type postgres from 'postgres';

type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;
const asNumber: Parse = (text) => Number(text);
/** int8 as a number while that is exact, otherwise as its digits. */
const asInt8: Parse = (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);

/**
 * An instant as a session in UTC writes it: `2027-01-31 09:00:00.5+00`, `10000-01-01 00:00:00+00` or, in the year 0,
 * `0001-12-31 23:00:00+00 BC`. ECMAScript defines the form with `T` and `Z`.
 * Without them V8 guesses, and reads the year 17 as a day. A page has hundreds of instants, so those to the millisecond
 * from the year 1000 on are read digit by digit, in a quarter of the time.
 */
const asInstant: Parse = (text) => {
  const end = text.length - 3;
  if (end < 19 || end > 23 || text.codePointAt(10) !== 0x20 || !text.endsWith('+00') || text.startsWith('0'))
    return readAnyYear(text);
  const digit = (index: number) => (index < end ? (text.codePointAt(index) as number) - 0x30 : 0);
  const two = (index: number) => digit(index) * 10 + digit(index + 1);
  const milliseconds = two(20) * 10 + digit(22);
  return new Date(Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), milliseconds));
};

function readAnyYear(text: string): Date {
  const [, year = '', rest = '', era] = /^(\d+)-(.*)\+00( BC)?$/.exec(text.replace(' ', 'T')) ?? [];
  const number = era ? 1 - Number(year) : Number(year);
  const padded = String(Math.abs(number)).padStart(6, '0');
  return new Date(`${number < 0 ? '-' : '+'}${padded}-${rest}Z`);
}

/** Array types: their object id in pg_type and the parser of an element. Only one dimension is supported. */
const arrays: readonly (readonly [name: string, oid: number, element: Parse])[] = [
  ['bool_array', 1000, (text) => text === 't'],
  ['int2_array', 1005, asNumber],
  ['int4_array', 1007, asNumber],
  ['text_array', 1009, asText],
  ['varchar_array', 1015, asText],
  ['int8_array', 1016, asInt8],
  ['float8_array', 1022, asNumber],
  ['timestamptz_array', 1185, asInstant],
  ['numeric_array', 1231, asText],
  ['uuid_array', 2951, asText],
  ['jsonb_array', 3807, (text) => JSON.parse(text)],
];

/**
 * How instants, int8 and arrays cross the wire. By default postgres.js asks every new connection for the array types,
 * and no code catches the rejection when that connection breaks.
 */
export function columnTypes(): Record<string, postgres.PostgresType> {
  const int8 = { to: 20, from: [20], serialize: String, parse: asInt8 };
  const timestamptz = { to: 1184, from: [1184], serialize: writeInstant, parse: asInstant };
  return Object.fromEntries([
    ['int8', int8],
    ['timestamptz', timestamptz],
    ...arrays.map(([name, oid, element]) => [
      name,
      {
        to: oid,
        from: [oid],
        serialize: (value: unknown) => (Array.isArray(value) ? writeArray(value) : value),
        // `array` makes postgres.js leave out the opening brace.
        parse: Object.assign((text: string) => readArray(text, element), { array: true }),
      },
    ]),
  ]);
}

/**
 * An instant as PostgreSQL reads it. A span that begins or ends at the first or the last instant of the API goes beyond
 * them with its duration and buffers: to a year that PostgreSQL writes in its own way.
 */
function writeInstant(value: Date | string): string {
  const instant = new Date(value);
  const text = instant.toISOString();
  const year = instant.getUTCFullYear();
  if (year > 9999) return text.replace(/^\+0*/, '');
  return year > 0 ? text : `${String(1 - year).padStart(4, '0')}${text.slice(year < 0 ? 7 : 4)} BC`;
}

/** Rows for `json_to_recordset`, in which an instant may have a year that the API has not. */
export function rowsAsJson(rows: readonly object[]): string {
  return JSON.stringify(rows, function (this: Record<string, unknown>, member, value) {
    const own = this[member];
    return own instanceof Date ? writeInstant(own) : value;
  });
}

function writeArray(values: readonly unknown[]): string {
  return `{${values.map(writeElement).join(',')}}`;
}

function writeElement(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) throw new TypeError('an array parameter has an undefined element');
  const text = value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : value;
  return `"${String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Reads `a,"b c",NULL}`: the text form of an array after its opening brace. */
function readArray(text: string, element: Parse): unknown[] {
  if (text === '}') return [];
  return Array.from(text.slice(0, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs), ([, quoted, bare]) => {
    if (quoted !== undefined) return element(quoted.replaceAll(/\\(.)/gs, '$1'));
    return bare === 'NULL' ? null : element(bare ?? '');
  });
}
