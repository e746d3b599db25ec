import { newWamid, type PhoneNumber } from './webhooks.ts';

// Inbound webhooks as Meta's reference documents each kind (Cloud API, read 2026-11). Members that say nothing here, such
// as hashes and URLs of media, are shortened.

/** Who does something on the customer's telephone. One with a username has no phone. */
export type Customer = {
  readonly phone?: string;
  readonly name?: string;
  readonly userId?: string;
  readonly username?: string;
};

/** The members of an entry beside `id`, `from` and `timestamp`. */
export type Content = { readonly type?: string } & Record<string, unknown>;

export type Entry = {
  readonly content: Content;
  /** The provider's id. A repeated id is a duplicate. */
  readonly id?: string;
  readonly at?: Date;
};

const media = (mime_type: string, more: object = {}) => ({
  id: '1003383421387256',
  mime_type,
  sha256: 'SfInY0gG…',
  ...more,
});
const unsupportedError = {
  code: 131051,
  title: 'Message type unknown',
  message: 'Message type unknown',
  error_data: { details: 'Message type is currently not supported.' },
};

/** What a customer may send or do, by kind. */
export const contents = {
  text: (body = 'Olá') => ({ type: 'text', text: { body } }),
  /** What a customer writes after a tap on an ad. */
  fromAd: (body = 'Quero saber mais') => ({
    type: 'text',
    text: { body },
    referral: {
      ...{ source_url: 'https://fb.me/3cr4Wqqkv', source_id: '120226305854810726', source_type: 'ad' },
      ...{ body: 'Summer succulents are here!', headline: 'Chat with us', media_type: 'image' },
      ...{ image_url: 'https://scontent.example/ad.jpg', ctwa_clid: 'Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4' },
      welcome_message: { text: 'Hi there! Let us know how we can help!' },
    },
  }),
  /** What a customer writes on the page of a product of the catalogue. */
  aboutProduct: (body = 'Tem em azul?') => ({
    type: 'text',
    text: { body },
    context: {
      ...{ from: '15550783881', id: newWamid() },
      referred_product: { catalog_id: '194836987003835', product_retailer_id: 'oculos-azul' },
    },
  }),
  image: (caption?: string) => ({
    type: 'image',
    image: media('image/jpeg', caption === undefined ? {} : { caption }),
  }),
  audio: () => ({ type: 'audio', audio: media('audio/ogg; codecs=opus', { voice: true }) }),
  video: (caption?: string) => ({ type: 'video', video: media('video/mp4', caption === undefined ? {} : { caption }) }),
  document: (caption = 'Receita') => ({
    type: 'document',
    document: media('application/pdf', { filename: 'receita.pdf', caption }),
  }),
  sticker: () => ({ type: 'sticker', sticker: media('image/webp', { animated: false }) }),
  location: () => ({
    type: 'location',
    location: { latitude: -23.55, longitude: -46.63, name: 'Praça', address: 'Centro' },
  }),
  contacts: () => ({
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Ana' }, phones: [{ phone: '+55 11 91234-5678', wa_id: '5511912345678' }] }],
  }),
  buttonReply: (title = 'Sim') => ({
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'yes', title } },
  }),
  listReply: (title = 'Corte') => ({
    type: 'interactive',
    interactive: { type: 'list_reply', list_reply: { id: 'cut', title, description: '30 min' } },
  }),
  flowReply: () => ({
    type: 'interactive',
    interactive: {
      type: 'nfm_reply',
      nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"day":"2026-12-01"}' },
    },
  }),
  button: (text = 'Confirmar', payload = text) => ({
    type: 'button',
    context: { from: '15550783881', id: newWamid() },
    button: { text, payload },
  }),
  order: () => ({
    type: 'order',
    order: {
      catalog_id: '194836987003835',
      text: 'Please deliver today',
      product_items: [{ product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 7.99, currency: 'USD' }],
    },
  }),
  unsupported: (type?: string) => ({
    type: 'unsupported',
    errors: [unsupportedError],
    ...(type !== undefined && { unsupported: { type } }),
  }),
  ephemeral: () => ({ type: 'ephemeral', errors: [{ code: 501, title: 'Message type is not currently supported' }] }),
  requestWelcome: () => ({ type: 'request_welcome' }),
  /** A kind from after this code. */
  novelty: (content: object = { depth: 3 }) => ({ type: 'hologram', hologram: content }),

  reaction: (message_id: string, emoji: string) => ({ type: 'reaction', reaction: { message_id, emoji } }),
  /** Meta leaves the emoji out. Earlier versions sent an empty one. */
  removedReaction: (message_id: string, emoji?: '') => ({
    type: 'reaction',
    reaction: { message_id, ...(emoji === '' && { emoji }) },
  }),
  edit: (original_message_id: string, body: string) => ({
    type: 'edit',
    edit: { original_message_id, message: { type: 'text', text: { body } } },
  }),
  captionEdit: (original_message_id: string, caption?: string) => ({
    type: 'edit',
    edit: { original_message_id, message: { context: { id: newWamid() }, ...contents.image(caption) } },
  }),
  revoke: (original_message_id: string) => ({ type: 'revoke', revoke: { original_message_id } }),

  changedNumber: (to: string, ids: { readonly userId?: string; readonly previousUserId?: string } = {}) => ({
    type: 'system',
    system: {
      body: `User Sheena Nelson changed from their number to ${to}`,
      wa_id: to,
      ...(ids.userId && { user_id: ids.userId }),
      ...(ids.previousUserId && { previous_user_id: ids.previousUserId }),
      type: 'user_changed_number',
    },
  }),
  /** The form of versions before 2025. */
  customerChangedNumber: (from: string, to: string) => ({
    type: 'system',
    system: {
      body: 'changed',
      identity: 'x',
      customer: from,
      wa_id: to,
      new_wa_id: Number(to),
      type: 'customer_changed_number',
    },
  }),
  changedUserId: (previous_user_id: string, user_id: string) => ({
    type: 'system',
    system: {
      body: `User changed from ${previous_user_id} to ${user_id}`,
      previous_user_id,
      user_id,
      type: 'user_changed_user_id',
    },
  }),
  changedIdentity: () => ({
    type: 'system',
    system: { body: 'The security code changed', identity: 'DF2lS5v2W6x=', type: 'customer_identity_changed' },
  }),
  otherNotice: () => ({ type: 'system', system: { body: 'Something new', type: 'user_did_something' } }),
  /** What local servers (On-Premises API) send instead of the field `user_preferences`. */
  changedPreference: (marketing: 'stop' | 'resume') => ({
    type: 'system',
    system: { body: `User requested to ${marketing} marketing messages`, marketing, type: 'user_preference_changed' },
  }),
  inGroup: (body = 'Olá a todos') => ({ type: 'text', group_id: 'HBgKMTY1MDM4Nzk0MzkVAgAR', text: { body } }),
} as const;

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

const envelope = (field: string, { phone, phoneNumberId }: PhoneNumber, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field,
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: phone, phone_number_id: phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
});

const contactOf = ({ phone, name = 'Maria', userId, username }: Customer) => ({
  profile: { name, ...(username && { username }) },
  ...(phone && { wa_id: phone }),
  ...(userId && { user_id: userId }),
});

/** One webhook of the field `messages` with the entries of a customer. A notice of the system has no contacts. */
export function entriesPayload(number: PhoneNumber, customer: Customer, entries: readonly Entry[]) {
  const isNotice = entries.every(({ content }) => content.type === 'system');
  return envelope('messages', number, {
    ...(!isNotice && { contacts: [contactOf(customer)] }),
    messages: entries.map(({ content, id = newWamid(), at = new Date() }) => ({
      ...(customer.phone && { from: customer.phone }),
      ...(customer.userId && { from_user_id: customer.userId }),
      id,
      timestamp: seconds(at),
      ...content,
    })),
  });
}

/**
 * The same of the field `standby`: another sender of the number holds the conversation. Its lists are one level deeper, and
 * an echo has the request that the other sender made.
 */
export const standbyPayload = (payload: ReturnType<typeof envelope>) => ({
  ...payload,
  entry: payload.entry.map((entry) => ({
    ...entry,
    changes: entry.changes.map(({ value: { messaging_product, metadata, ...lists } }) => ({
      field: 'standby',
      value: { messaging_product, metadata, standby: withRequests(lists) },
    })),
  })),
});

type Echo = { id?: string; timestamp?: string; from?: string; to_user_id?: string; context?: { id: string } } | null;
const withRequests = (lists: { message_echoes?: readonly Echo[] }) => ({
  ...lists,
  ...(lists.message_echoes && { message_echoes: lists.message_echoes.map((echo) => echo && toRequest(echo)) }),
});
const toRequest = ({ id, timestamp, from: _, to_user_id: recipient, context, ...content }: NonNullable<Echo>) => ({
  id,
  timestamp,
  message: {
    ...{ messaging_product: 'whatsapp', recipient_type: 'individual' },
    ...(recipient && { recipient }),
    ...(context && { context: { message_id: context.id } }),
    ...content,
  },
});

/** Who answers a conversation has changed: another app passed it to this one, or took it. It has no `metadata`. */
export const handoverPayload = (
  number: PhoneNumber,
  customer: Customer,
  type: 'control_passed' | 'control_taken',
  at = new Date(),
) => {
  const payload = envelope('messaging_handovers', number, {});
  const value = {
    messaging_product: 'whatsapp',
    recipient: { display_phone_number: number.phone, phone_number_id: number.phoneNumberId },
    ...(customer.phone && { sender: { phone_number: customer.phone } }),
    timestamp: seconds(at),
    type,
    [type]: { previous_owner_role: 'ai_agent', new_owner_role: 'escalation', metadata: 'Ask about the lenses' },
  };
  return {
    ...payload,
    entry: payload.entry.map((entry) => ({ ...entry, changes: [{ field: 'messaging_handovers', value }] })),
  };
};

/** One webhook of the field `user_preferences`. Its timestamp is a number. */
export const preferencePayload = (
  number: PhoneNumber,
  customer: Customer,
  value: 'stop' | 'resume',
  at: Date = new Date(),
) =>
  envelope('user_preferences', number, {
    contacts: [contactOf(customer)],
    user_preferences: [
      {
        ...(customer.phone && { wa_id: customer.phone }),
        ...(customer.userId && { user_id: customer.userId }),
        detail: `User requested to ${value} marketing messages`,
        category: 'marketing_messages',
        value,
        timestamp: Number(seconds(at)),
      },
    ],
  });

/** What a person sent, edited or deleted on the store's own telephone. With a user id alone, Meta leaves `to` out. */
export const echoPayload = (
  number: PhoneNumber,
  customer: Customer,
  content: Content = contents.text('Da loja'),
  { id = newWamid(), at = new Date() }: Omit<Entry, 'content'> = {},
) =>
  envelope('smb_message_echoes', number, {
    ...(customer.userId && { contacts: [contactOf(customer)] }),
    message_echoes: [
      {
        from: number.phone,
        ...(customer.phone && { to: customer.phone }),
        ...(customer.userId && { to_user_id: customer.userId }),
        id,
        timestamp: seconds(at),
        ...content,
      },
    ],
  });

/** A contact that a person added, changed or removed in the address book of the store's own telephone. */
export const contactPayload = (
  number: PhoneNumber,
  { phone, name, action = 'add', at = new Date() }: { phone: string; name?: string; action?: string; at?: Date },
) =>
  envelope('smb_app_state_sync', number, {
    state_sync: [
      {
        type: 'contact',
        contact: { ...(name && { full_name: name, first_name: name.split(' ')[0] }), phone_number: phone },
        action,
        metadata: { timestamp: Number(seconds(at)) },
      },
    ],
  });

export type Call = {
  readonly at?: Date;
  readonly event?: 'connect' | 'terminate';
  readonly direction?: 'USER_INITIATED' | 'BUSINESS_INITIATED';
};

/** A call begins or ends. Without more, the customer places it. */
export const callPayload = (
  number: PhoneNumber,
  customer: Customer,
  { at = new Date(), event = 'connect', direction = 'USER_INITIATED' }: Call = {},
) => {
  const [ours, theirs] = [{ number: number.phone }, { number: customer.phone, userId: customer.userId }];
  const [from, to] = direction === 'USER_INITIATED' ? [theirs, ours] : [ours, theirs];
  return envelope('calls', number, {
    contacts: [contactOf(customer)],
    calls: [
      {
        id: `wacid.${newWamid()}`,
        from: from.number,
        to: to.number,
        from_user_id: 'userId' in from ? from.userId : undefined,
        to_user_id: 'userId' in to ? to.userId : undefined,
        event,
        timestamp: seconds(at),
        direction,
        ...(event === 'terminate' ? { status: 'FAILED' } : { session: { sdp_type: 'offer', sdp: 'v=0' } }),
      },
    ],
  });
};

/** A fault of the account, without a message. */
export const accountErrorPayload = (number: PhoneNumber) =>
  envelope('messages', number, {
    errors: [
      {
        code: 130429,
        title: 'Rate limit hit',
        message: 'Rate limit hit',
        error_data: { details: 'Message failed to send' },
      },
    ],
  });

/** A message of the past, by whom it was written. `status` is that of WhatsApp's history, in capitals or not. */
export type Past = Entry & { readonly fromMe?: boolean; readonly status?: string };

/** One webhook of the field `history`: a chunk of past conversations. A thread has the number of its customer as its id. */
export const historyPayload = (
  number: PhoneNumber,
  threads: readonly { readonly customer: Customer; readonly messages: readonly Past[] }[],
  { phase = 0, chunk_order = 1, progress = 100 }: { phase?: number; chunk_order?: number; progress?: number } = {},
) =>
  envelope('history', number, {
    history: [
      {
        metadata: { phase, chunk_order, progress },
        threads: threads.map(({ customer, messages }) => ({
          id: customer.phone ?? customer.userId,
          ...(customer.userId && { context: { wa_id: customer.phone, user_id: customer.userId } }),
          messages: messages.map(({ content, id = newWamid(), at = new Date(), fromMe = false, status = 'READ' }) => ({
            from: fromMe ? number.phone : customer.phone,
            ...(fromMe && { to: customer.phone }),
            id,
            timestamp: seconds(at),
            ...content,
            history_context: { ...(fromMe && { from_me: true }), status },
          })),
        })),
      },
    ],
  });

/** The file of a message of the past, which WhatsApp tells by itself. */
export const historyMediaPayload = (
  number: PhoneNumber,
  customer: Customer,
  { content, id, at = new Date(), fromMe }: Past,
) =>
  envelope('history', number, {
    messages: [
      {
        from: fromMe ? number.phone : customer.phone,
        ...(fromMe && { to: customer.phone }),
        id,
        timestamp: seconds(at),
        ...content,
      },
    ],
  });

/** The store has declined to share its past conversations. */
export const historyDeclinedPayload = (number: PhoneNumber) =>
  envelope('history', number, {
    history: [
      {
        errors: [
          {
            code: 2593109,
            title: 'History sync is turned off by the business from the WhatsApp Business App',
            message: 'History sync is turned off by the business from the WhatsApp Business App',
            error_data: { details: 'History sharing is turned off by the business' },
          },
        ],
      },
    ],
  });
