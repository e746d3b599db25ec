import { type Static, Type } from '@sinclair/typebox';
import { About, MapOf, Nullable, NullableString, OneOf } from '../core/common.ts';

// What a message is beside its text.

export const messageTypes = [
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive_reply',
  'order',
  'template',
  'unsupported',
] as const;
export type MessageType = (typeof messageTypes)[number];
export const MessageTypeWord = OneOf(messageTypes, {
  title: 'MessageType',
  description:
    'What the message is. `image`, `audio`, `video`, `document` and `sticker` have `media`. `location`, `contacts`, ' +
    '`interactive_reply` (a tap on a button or a row of a list, or a completed form) and `order` have `content`. ' +
    '`unsupported`: the channel does not give its content, or its kind is newer than this server.',
});

/** No channel carries a larger file. */
export const maxMediaBytes = 2 ** 31 - 1;

/** The largest number of an order's line. */
export const maxOrderNumber = 1_000_000_000_000;

/** A file in a message. Its bytes are at the channel. */
export const MessageMedia = Type.Object(
  {
    mime_type: About(NullableString, 'Its media type (RFC 6838), as the channel says.'),
    filename: About(NullableString, 'The name of a document.'),
    size_bytes: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: maxMediaBytes,
      description: 'Its size in bytes. Null: the channel does not say.',
    }),
    sha256: About(NullableString, 'The SHA-256 of its bytes in hexadecimal digits, as the channel says.'),
    voice: Type.Boolean({ description: 'Whether it is a voice note, recorded in the chat.' }),
    animated: Type.Boolean({ description: 'Whether it is a sticker that moves.' }),
    state: OneOf(['not_fetched'], {
      title: 'MediaState',
      description: '`not_fetched`: Mostrador has not read the file from the channel.',
    }),
  },
  { title: 'MessageMedia', description: 'A file in a message. The text beside it is the `body` of the message.' },
);
export type MessageMedia = Static<typeof MessageMedia>;

export const ContactCard = Type.Object(
  {
    name: Type.String({ description: 'The name on the card.' }),
    organization: About(NullableString, 'The company on the card.'),
    phones: Type.Array(Type.String(), { description: 'The phones, as they are written on the card.' }),
    emails: Type.Array(Type.String(), { description: 'The email addresses.' }),
  },
  { title: 'ContactCard', description: 'A contact card.' },
);
export type ContactCard = Static<typeof ContactCard>;

export const OrderItem = Type.Object(
  {
    product_id: Type.String({ description: 'The product in the store’s catalogue (`product_retailer_id`).' }),
    quantity: Type.Number({ minimum: 0, maximum: maxOrderNumber, description: 'How many.' }),
    price: Type.Number({
      minimum: 0,
      maximum: maxOrderNumber,
      description: 'The price of one, in units of `currency`.',
    }),
    currency: Type.String({ description: 'The currency (ISO 4217).' }),
  },
  { title: 'OrderItem', description: 'A line of an order.' },
);
export type OrderItem = Static<typeof OrderItem>;

export const MessageReferral = Type.Object(
  {
    source_type: Type.Optional(Type.String({ description: '`ad` or `post`. New words may come.' })),
    source_id: Type.Optional(Type.String({ description: 'The id of the ad or post at Meta.' })),
    source_url: Type.Optional(Type.String({ description: 'The page of the ad or post.' })),
    headline: Type.Optional(Type.String({ description: 'Its headline.' })),
    body: Type.Optional(Type.String({ description: 'Its text.' })),
    media_type: Type.Optional(Type.String({ description: 'What it shows, such as `image` or `video`.' })),
    ctwa_clid: Type.Optional(
      Type.String({
        description: 'The id of the click, for Meta’s Conversions API. WhatsApp gives none for an ad in its Status.',
      }),
    ),
  },
  { title: 'MessageReferral', description: 'The ad or post from which a customer came to WhatsApp.' },
);
export type MessageReferral = Static<typeof MessageReferral>;

export const MessageProduct = Type.Object(
  {
    catalog_id: Type.Optional(Type.String({ description: 'The catalogue.' })),
    product_id: Type.String({ description: 'The product in the store’s catalogue (`product_retailer_id`).' }),
  },
  { title: 'MessageProduct', description: 'The product of the catalogue that a customer asks about.' },
);

/** The content of a message that is more than text. Generated clients get one object instead of a union. */
export const MessageContent = Type.Object(
  {
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: '`location`: degrees north.' })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180, description: '`location`: degrees east.' })),
    name: Type.Optional(Type.String({ description: '`location`: the name of the place, if it has one.' })),
    address: Type.Optional(Type.String({ description: '`location`: the address, if it is given.' })),
    url: Type.Optional(Type.String({ description: '`location`: the page of the place, if it has one.' })),
    contacts: Type.Optional(Type.Array(ContactCard, { description: '`contacts`: the cards.' })),
    kind: Type.Optional(
      OneOf(['button', 'list', 'flow'], {
        title: 'InteractiveReplyKind',
        description: '`interactive_reply`: what was tapped or completed. A quick reply of a template is a `button`.',
      }),
    ),
    id: Type.Optional(
      Type.String({ description: '`interactive_reply`: the id that the store gave the button or row.' }),
    ),
    title: Type.Optional(Type.String({ description: '`interactive_reply`: the label that the customer saw.' })),
    description: Type.Optional(
      Type.String({ description: '`interactive_reply`: the second line of a row of a list.' }),
    ),
    fields: Type.Optional(
      MapOf(Type.Unknown(), { description: '`interactive_reply` of a form: what the customer filled in.' }),
    ),
    catalog_id: Type.Optional(Type.String({ description: '`order`: the catalogue.' })),
    items: Type.Optional(Type.Array(OrderItem, { description: '`order`: its lines.' })),
    referral: Type.Optional(
      About(MessageReferral, 'A message of any type: the ad or post that the customer tapped to write it.'),
    ),
    product: Type.Optional(
      About(MessageProduct, 'A message of any type: the product on whose page the customer wrote it.'),
    ),
    forwarded: Type.Optional(
      Type.Literal(true, { description: 'A message of any type: the customer forwarded it, and did not write it.' }),
    ),
    truncated: Type.Optional(
      Type.Literal(true, {
        description:
          'Something was left out: a list may leave out a content over 1 KiB of JSON, and one over 16 KiB is not kept ' +
          'whole.',
      }),
    ),
  },
  {
    title: 'MessageContent',
    description:
      'The content of a message that is more than text. `type` says which members it has beside `referral`, `product` and `forwarded`.',
  },
);
export type MessageContent = Static<typeof MessageContent>;

export const NullableMessageMedia = Nullable(MessageMedia);
export const NullableMessageContent = Nullable(MessageContent);

/** The longest content that is kept, in bytes of JSON. */
export const maxContentBytes = 16 * 1024;

/** A list shows a content up to this size in bytes of JSON. One that is larger needs room in the answer. */
export const maxListedContentBytes = 1024;

const typeOfKind: Readonly<Record<string, MessageType>> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'document',
  sticker: 'sticker',
  location: 'location',
  contacts: 'contacts',
  interactive: 'interactive_reply',
  button: 'interactive_reply',
  order: 'order',
  template: 'template',
};

/** The type of a message whose channel calls its kind `kind`. */
export const messageTypeOf = (kind: string): MessageType =>
  Object.hasOwn(typeOfKind, kind) ? (typeOfKind[kind] as MessageType) : 'unsupported';

const typesWithMedia: readonly string[] = ['image', 'audio', 'video', 'document', 'sticker'] satisfies MessageType[];

/** Whether a message of this type, or of the channel's kind of the same name, is a file. */
export const hasMedia = (type: string): boolean => typesWithMedia.includes(type);
