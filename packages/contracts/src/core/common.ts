import { type Static, type TLiteral, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** A UUID in its text form (RFC 9562), any version; answered in lower case. */
export const Uuid = Type.String({ format: 'uuid' });

/** A UUID or null. */
export const NullableUuid = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' });

/**
 * An instant. In: RFC 3339 with any offset, real dates only. Out: UTC at millisecond precision,
 * `2027-01-31T09:00:00.000Z`.
 */
export const Timestamp = Type.String({ format: 'date-time' });

/** The instants that a `Timestamp` can name, as epoch ms: those whose year in UTC has four digits and is not 0. */
export const firstInstantMs = Date.parse('0001-01-01T00:00:00.000Z');

export const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant or null. */
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });

/**
 * Text that a person wrote: trimmed, then 1 to `maxLength` characters (code points), without NUL.
 * The `text` keyword does the trimming and the checks that JSON Schema has no word for.
 */
export const Text = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({ ...options, text: true, minLength: 1, maxLength });

/** Such a text, or null. */
export const NullableText = (maxLength: number, options: { description?: string } = {}) =>
  Type.Unsafe<string | null>({ ...options, type: ['string', 'null'], text: true, minLength: 1, maxLength });

/** Whatever string a reply carries, or null. */
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** A phone number in E.164 without the plus sign: 8 to 15 digits. */
export const Phone = Type.String({ pattern: '^[1-9][0-9]{7,14}$', description: 'E.164 number, digits only' });

/** One of these words. */
export const OneOf = <const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number] } = {},
) => Type.Unsafe<Words[number]>({ ...options, type: 'string', enum: [...words] });

/** An object with just these members. */
export const Exact = <Members extends TProperties>(
  members: Members,
  options: { minProperties?: number; description?: string; title?: string } = {},
): TObject<Members> => Type.Object(members, { ...options, additionalProperties: false });

/** The greatest page size of a list, unless the list says otherwise. */
export const maxPageSize = 200;

/** The query members that every list has. `cursor` comes from a `Link` header and replaces `page`. */
export const paging = (size: { default: number; maximum: number } = { default: 50, maximum: maxPageSize }) => ({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page number, from 1 (the default).' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: size.maximum, default: size.default, description: 'Rows on a page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Opaque, from the `Link` header of the page before. Not together with `page`.',
    }),
  ),
});

/** The envelope of a list: `data, total, page, limit`. */
export const Page = <Item extends TSchema>(item: Item) =>
  Type.Object({ data: Type.Array(item), total: Type.Integer(), page: Type.Integer(), limit: Type.Integer() });

/**
 * What a step tells its workflow: nothing more to do, or look again at `wake_at`. A null `wake_at` with `done: false`
 * means: only a signal can change anything. `reason` is shown to operators, so it holds nothing personal.
 */
export const NextStep = Type.Object({
  done: Type.Boolean(),
  wake_at: NullableTimestamp,
  reason: NullableString,
});
export type NextStep = Static<typeof NextStep>;

/** A reply without content, for operations whose success is the whole answer. */
export const Done = Type.Object({ done: Type.Literal(true) as TLiteral<true> });
