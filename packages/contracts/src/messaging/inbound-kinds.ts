// What each kind of inbound entry means. A channel may report far more than what a customer says.

/**
 * What an entry changes:
 * - `message`: it is the customer's words and becomes a message
 * - `reactions`, `text`, `revocation`: the message that it names is marked, and `message.updated` tells
 * - `echo`: a person of the store wrote it on the store's own telephone: it becomes a message of the source `seller`, which
 *   counts as one from the console does, and pauses the AI. It is no word of the customer
 * - `history`: messages from before the number was connected, which count nowhere as new, what was changed of them, and how
 *   far their transfer is
 * - `identity`: the number or the id of the lead moves
 * - `name`: the lead gets the name that the store's own telephone has, unless a person has named it
 * - `opt_out`: the lead opts out of marketing messages, or back in
 * - `handover`: the AI of the store is silent. When the store has the conversation now, what the other agent wrote last answers
 *   nothing, so that the lead waits for a person
 * - `call`: the reply window opens, as a message opens it
 * - `nothing`: the stored webhook is its only trace
 */
export type InboundChange =
  | 'message'
  | 'reactions'
  | 'text'
  | 'revocation'
  | 'echo'
  | 'history'
  | 'identity'
  | 'name'
  | 'opt_out'
  | 'handover'
  | 'call'
  | 'nothing';

export type InboundKind = {
  readonly changes: InboundChange;
  /**
   * Whether it counts as the customer's words. Such an entry, and no other, cancels follow-ups that wait for silence,
   * counts as an interaction and in the reports, makes the conversation unread and unanswered, and opens a session. It
   * moves the reply window, as only a `call` does besides.
   */
  readonly isWords: boolean;
  readonly why: string;
};

const words = (why: string): InboundKind => ({ changes: 'message', isWords: true, why });
const change = (changes: Exclude<InboundChange, 'message'>, why: string): InboundKind => ({
  changes,
  isWords: false,
  why,
});

/**
 * Every kind, by the channel's word for it. A kind with a subtype is `type.subtype`. WhatsApp opens its customer service
 * window when "a user messages you or calls you", and says so of no other kind.
 */
export const inboundKinds = {
  text: words('A text.'),
  image: words('A picture, with or without a caption.'),
  audio: words('A voice note or a sound file.'),
  video: words('A video, with or without a caption.'),
  document: words('A file, with or without a caption.'),
  sticker: words('A sticker.'),
  location: words('A place.'),
  contacts: words('Contact cards.'),
  interactive: words('A tap on a button or a row of a list, or a completed flow.'),
  button: words('A tap on a quick reply of a template. One that says stop opts the lead out, too.'),
  order: words('An order from the catalogue.'),
  ephemeral: words('A message that disappears. WhatsApp gives only the fact that it came.'),
  unsupported: words('A message that WhatsApp cannot show to a business, such as a poll. A person must ask for it.'),
  errors: words('A message that WhatsApp could not process.'),
  unknown: words(
    'A kind that is newer than this table, or an entry without one. A message that no person sees is worse than one that ' +
      'is shown without a text. If it names another message, it is `unknown_reference`.',
  ),
  unknown_reference: change(
    'nothing',
    'A kind that is newer than this table and names another message. So far each such kind changed that message.',
  ),

  reaction: change('reactions', 'An emoji on a message, or its removal.'),
  edit: change('text', 'A new text of an earlier message. The original moved the window when it came.'),
  revoke: change('revocation', 'The customer deleted an earlier message for everyone.'),
  'unsupported.reaction': change('nothing', 'A reaction whose content WhatsApp withholds.'),
  'unsupported.edit': change('nothing', 'An edit whose content WhatsApp withholds. The original stays as it was.'),
  'unsupported.revoke': change('nothing', 'A deletion that does not name its message.'),
  'unsupported.pin': change('nothing', 'The customer pinned a message in their own chat.'),
  'unsupported.keep_in_chat': change('nothing', 'The customer kept a disappearing message.'),
  'unsupported.poll_update': change('nothing', 'A change of a poll.'),

  system: change('nothing', 'A notice of WhatsApp that this table does not list. The customer said nothing.'),
  'system.user_changed_number': change('identity', 'The customer has another number, and another user id.'),
  'system.customer_changed_number': change('identity', 'The same, as earlier versions of WhatsApp call it.'),
  'system.user_changed_user_id': change('identity', 'The customer has another user id. The number is not told.'),
  'system.customer_identity_changed': change('nothing', 'The customer has another device key.'),
  'system.user_identity_changed': change('nothing', 'The same, as later versions call it.'),
  'system.user_preference_changed': change('opt_out', 'As `user_preferences`, in the form of local servers.'),
  user_preferences: change('opt_out', 'The customer stopped marketing messages in WhatsApp, or resumed them.'),

  request_welcome: change('nothing', 'The customer opened the chat for the first time and has not written yet.'),
  group: change('nothing', 'A message in a group. It must never appear in a private thread.'),
  echo: change(
    'echo',
    'A message that the store sent from its own telephone, with the WhatsApp Business app. One that names no customer ' +
      'changes nothing.',
  ),
  history: change(
    'history',
    'Past conversations of the WhatsApp Business app, when a number of it is connected: messages of both sides, and their ' +
      'reactions, edits and deletions. The customer says nothing now.',
  ),
  history_media: change('history', 'The file of such a message, which WhatsApp tells by itself.'),
  history_declined: change('nothing', 'The store keeps its past conversations to itself. The channel shows it.'),
  contact: change(
    'name',
    'A contact in the address book of that telephone. A contact who never wrote becomes no lead: the name waits for the ' +
      'first message. One that is removed leaves the name of a lead.',
  ),
  handover: change(
    'handover',
    'Another agent of the number got the conversation, or passed it to the store. The AI is silent either way, until a ' +
      'person ends that pause.',
  ),
  call: change(
    'call',
    'A call. One that the customer places opens the reply window, whether it is taken or not. Mostrador takes none.',
  ),
  account_errors: change(
    'nothing',
    'A fault of the account or the platform, without a message. One of the whole channel stops the channel.',
  ),
} as const satisfies Readonly<Record<string, InboundKind>>;

export type InboundKindName = keyof typeof inboundKinds;

/** What is known about an entry when its kind is decided. */
export type InboundEntry = {
  /** The channel's word. Empty when there is none. */
  readonly type: string;
  /** The word for the subtype of a `system` or `unsupported` entry. */
  readonly subtype?: string;
  /** Whether the content names another message. */
  readonly namesMessage?: boolean;
};

/** The kind of an entry. Every entry has one. */
export function inboundKindOf({ type, subtype, namesMessage = false }: InboundEntry): InboundKindName {
  if (subtype && isKind(`${type}.${subtype}`)) return `${type}.${subtype}` as InboundKindName;
  if (isKind(type)) return type;
  return namesMessage ? 'unknown_reference' : 'unknown';
}

const isKind = (name: string): name is InboundKindName => Object.hasOwn(inboundKinds, name);
