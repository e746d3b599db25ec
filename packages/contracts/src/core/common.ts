import {
  Kind,
  type Static,
  type StringOptions,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox';

/** A UUID as text (RFC 9562), any version. Replies use lower case. */
export const Uuid = Type.String({ format: 'uuid' });

/** A UUID or null. */
export const NullableUuid = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' });

/**
 * An instant. Requests: RFC 3339 with any offset; the date must exist. Replies: UTC with milliseconds,
 * `2027-01-31T09:00:00.000Z`.
 */
export const Timestamp = Type.String({ format: 'date-time' });

/** The first instant of a `Timestamp`, in epoch ms. Its year in UTC is 1 to 9999. */
export const firstInstantMs = Date.parse('0001-01-01T00:00:00.000Z');

/** The last instant of a `Timestamp`, in epoch ms. */
export const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a text of the form `2027-01-31` is a date that exists, in a year from 1 to 9999. */
export const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return date.getTime() >= firstInstantMs && date.toISOString().startsWith(text);
};

/** An instant or null. */
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });

/**
 * Text that a person wrote. After trimming it has 1 to `maxLength` characters (code points) and no NUL.
 * Our keyword `text` does the trimming and the checks that JSON Schema cannot express.
 */
export const Text = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({ ...options, text: true, minLength: 1, maxLength });

/** `Text`, or null. */
export const NullableText = (maxLength: number, options: { description?: string } = {}) =>
  Type.Unsafe<string | null>({ ...options, type: ['string', 'null'], text: true, minLength: 1, maxLength });

/** An email address, or null. */
export const NullableEmail = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  text: true,
  format: 'email',
  maxLength: 254,
  description: 'An email address.',
});

/** The characters that trimming removes, listed because `\s` means a different set in every regex dialect. */
export const trimmedCharacters =
  '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/**
 * A text of a pattern.
 *
 * @param fault what is allowed, in words, such as `must be a date, such as 2027-01-31`: the detail of a text that does not
 * match. It has a translation in the gateway
 */
export const Matching = (pattern: string, fault: string, options: StringOptions & { text?: boolean } = {}) =>
  Type.String({ ...options, pattern, fault });

/** A date without a time. Whether it exists is for `isDate` to say. */
export const DateText = Matching('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'must be a date, such as 2027-01-31');

/** One word by which a store groups its rows. It has no comma, which separates the values of a filter. */
export const Tag = Matching(
  `^[^\\u0000,]*[^\\u0000,${trimmedCharacters}][^\\u0000,]*$`,
  'must be a tag without a comma',
  { text: true, minLength: 1, maxLength: 40, description: 'A tag without a comma.' },
);

/**
 * Several values of a filter, separated by commas. It is a text in a request. The document shows it as
 * a list: `valuesOf` says what each value is.
 *
 * @param value the pattern of one value, without `^` and `$`
 * @param options.fault as in `Matching`. Without it `valuesOf` has an `enum`, and the detail names the unknown value
 */
export const Several = (
  valuesOf: TSchema,
  value: string,
  options: { maxLength: number; description: string; fault?: string },
) => Type.String({ ...options, pattern: `^(${value})(,(${value}))*$`, valuesOf });

/** The most tags of a row. */
export const maxTags = 30;

/** Tags of a request; null clears them. */
export const NullableTags = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: Tag,
  maxItems: maxTags,
  description:
    'At most 30 tags of at most 40 characters, without commas. They replace the earlier ones. Two tags that differ only ' +
    'in case are one: the first spelling stays, also that of an earlier tag.',
});

/**
 * An object with members of any name. Not `Type.Record`: its pattern `^(.*)$` leaves out a name with a line break, so such
 * a member was not checked in a request and was missing in a reply.
 */
export const MapOf = <Value extends TSchema>(value: Value, options: { title?: string; description?: string } = {}) =>
  Type.Unsafe<Record<string, Static<Value>>>({ ...options, type: 'object', additionalProperties: value });

/** The most members of a row's metadata. */
export const maxMetadata = 50;

/** The metadata of a row has at most this many bytes as JSON, so that a page of 200 rows fits into one NATS message. */
export const maxMetadataBytes = 28 * 1024;

/** Any string of a reply, or null. */
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] });

/** Under this key a variant of a named schema keeps that schema. Validators ignore symbols. */
const variantOf = Symbol('variantOf');

/** The named schema of a variant that `Described` or `Nullable` made, otherwise the schema itself. */
export const namedSchemaOf = (schema: TSchema): TSchema => (schema as { [variantOf]?: TSchema })[variantOf] ?? schema;

/** A named schema with a description or a default of its own. The API document still refers to it by its name. */
export const Described = <Named extends TSchema>(
  named: Named,
  own: { description?: string; default?: Static<Named> },
): Named => ({ ...named, ...own, [variantOf]: namedSchemaOf(named) });

/** The schema with a description of its own. */
export const About = <Schema extends TSchema>(schema: Schema, description: string): Schema =>
  Described(schema, { description } as { description: string });

/** A named schema (with a `title`), or null. */
export const Nullable = <Named extends TSchema>(named: Named, own: { description?: string } = {}) =>
  Type.Unsafe<Static<Named> | null>({
    ...named,
    ...own,
    type: [named.type, 'null'],
    ...(named.enum ? { enum: [...named.enum, null] } : {}),
    [variantOf]: namedSchemaOf(named),
    [Kind]: 'Unsafe',
  });

/** A change of metadata: the named schema, without null. */
const MetadataChange = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  title: 'MetadataChange',
  maxProperties: maxMetadata,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
  description:
    'At most 50 members: names of at most 40 characters, and texts of at most 500. Members left out stay as they are, ' +
    'null or an empty text removes a member, and null instead of the object removes all.',
});

/**
 * Metadata of a request: data of the store's own systems about a row. Mostrador only keeps it. As with Stripe, a change
 * sets the given members and keeps the others, and an empty text removes its member; so does null (RFC 7396). The service
 * that keeps the metadata checks `maxMetadata` and `maxBytes` of all members together.
 */
const MetadataOf = (maxBytes: number) =>
  Nullable(MetadataChange, {
    description: `${MetadataChange.description} All members together are at most ${maxBytes / 1024} KiB of JSON.`,
  });

/** Metadata of a request about a lead. */
export const NullableMetadata = MetadataOf(maxMetadataBytes);

/** As `maxMetadataBytes`, for an appointment, whose notes may be long. */
export const maxAppointmentMetadataBytes = 8 * 1024;

/** Metadata of a request about an appointment. */
export const NullableAppointmentMetadata = MetadataOf(maxAppointmentMetadataBytes);

/** As `maxMetadataBytes`, for a follow-up, whose message and template may be long. */
export const maxFollowupMetadataBytes = 4 * 1024;

/** Metadata of a request about a follow-up. */
export const NullableFollowupMetadata = MetadataOf(maxFollowupMetadataBytes);

/** Why something waits for a provider: a stable code, its meaning for people, and since when. */
const WaitReason = Type.Object(
  {
    code: Type.String({
      description:
        '`provider_unavailable` or `provider_busy`; of a calendar also `calendar_not_read` or `calendar_emptied`.',
    }),
    detail: Type.String({ description: 'The same for people.' }),
    since: About(Timestamp, 'Since when it waits.'),
  },
  {
    title: 'WaitReason',
    description:
      'Why the provider is not called now: `provider_unavailable` (it fails, and is asked again by itself) or ' +
      '`provider_busy` (the calls that may run at once are running). Of a calendar also why it is not read: ' +
      '`calendar_not_read` (reading fails, and is tried again by itself) or `calendar_emptied` (most events disappeared at ' +
      'once, so that none is cancelled until a person restores them or connects the calendar again).',
  },
);

/** A `WaitReason` or null. */
export const NullableWaitReason = Nullable(WaitReason);

/** Why an attempt failed: a code of the catalogue or of the provider, and its meaning for people. */
export const Failure = Type.Object(
  {
    code: Type.String({ description: 'Stable: a code of the API’s errors, or one of the provider.' }),
    detail: Type.String({ description: 'The same for people.' }),
  },
  { title: 'Failure', description: 'Why it failed: a stable code, and its meaning for people.' },
);

const phoneFault = 'must be a phone number in digits, with its country code, such as 5511961234567';

/** A phone number in E.164 without the plus sign: 8 to 15 digits. */
export const Phone = Matching('^[1-9][0-9]{7,14}$', phoneFault, { description: 'E.164 number, digits only' });

/** A lead's phone as answers show it. */
export const NullablePhone = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  pattern: '^[1-9][0-9]{7,14}$',
  fault: phoneFault,
  description:
    'E.164 number, digits only. Null for a customer whom the channel names without a phone. Then `channel_user_id` is set.',
});

/**
 * A phone number in a request of the API. The gateway brings what a person wrote into the form of `Phone` before it
 * forwards the request, so a service gets only that form.
 */
export const WrittenPhone = Type.String({
  format: 'phone',
  description:
    'A phone number with its country code, such as `+5511961234567`. Separators and `+` are removed. A national number ' +
    'such as `(11) 96123-4567` is completed with the country of the store. Digits alone that are a number with and ' +
    'without a country code mean the one that the store has, else the answer is 400 with both forms.',
});

/** One of these words. A `title` is its name in the API document, which every public one needs. */
export const OneOf = <const Words extends readonly string[]>(
  words: Words,
  options: { title?: string; description?: string; default?: Words[number] } = {},
) => Type.Unsafe<Words[number]>({ ...options, type: 'string', enum: [...words] });

/** The status of a store's connection to a provider. */
export const ConnectionStatus = OneOf(['not_connected', 'connected', 'degraded', 'needs_attention'], {
  title: 'ConnectionStatus',
  description:
    '`degraded`: connected, but the provider fails now, and `reason` says since when. `needs_attention`: a person must act.',
});

/** Why a connection to a provider is `degraded` or `needs_attention`. */
const ConnectionReason = Type.Object(
  {
    code: Type.String({ description: '`provider_unavailable`, or the code of the provider’s refusal.' }),
    detail: Type.String({ description: 'The same for people.' }),
    since: About(NullableTimestamp, 'Since when. Null: not known.'),
  },
  { title: 'ConnectionReason', description: 'Why the connection is `degraded` or `needs_attention`.' },
);

/** A `ConnectionReason` or null. */
export const NullableConnectionReason = Nullable(ConnectionReason);

/** An object that accepts no other members. */
export const Exact = <Members extends TProperties>(
  members: Members,
  options: { minProperties?: number; description?: string; title?: string } = {},
): TObject<Members> => Type.Object(members, { ...options, additionalProperties: false });

/** The largest page size of a list, unless the list sets its own. */
export const maxPageSize = 200;

/** The query members of every list. `cursor` comes from a `Link` header and replaces `page`. */
export const paging = (size: { default: number; maximum: number } = { default: 50, maximum: maxPageSize }) => ({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page number, starting at 1 (the default).' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: size.maximum, default: size.default, description: 'Rows per page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'Opaque cursor from the `Link` header of the previous page. It does not expire. Cannot be combined with `page`.',
    }),
  ),
});

/** The envelope of a list: `data, total, page, limit`. Its name is that of the item with `List` behind it. */
export const Page = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      data: Type.Array(item, { description: 'The rows of this page.' }),
      total: Type.Integer({ description: 'The number of rows on all pages, counted for the first page.' }),
      page: Type.Integer({ description: 'The number of this page, from 1.' }),
      limit: Type.Integer({ description: 'The most rows that a page has.' }),
    },
    { title: `${item.title}List`, description: 'One page of a list. The header `Link` leads to the next page.' },
  );

/**
 * What a step answers its workflow: nothing is left to do, or run the step again at `wake_at`. With `done: false` and a
 * null `wake_at` the workflow waits for a signal. Operators see `reason`, so it holds no personal data.
 */
export const NextStep = Type.Object({
  done: Type.Boolean(),
  wake_at: NullableTimestamp,
  reason: NullableString,
});
export type NextStep = Static<typeof NextStep>;

/** A reply without content: success is the whole answer. */
export const Done = Type.Object({ done: Type.Literal(true) as TLiteral<true> });
