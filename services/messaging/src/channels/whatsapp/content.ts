import {
  type ContactCard,
  hasMedia,
  type MessageContent,
  type MessageMedia,
  type MessageReferral,
  maxContentBytes,
  maxMediaBytes,
  maxOrderNumber,
} from '@mostrador/contracts';
import { array, first, identifier, known, member, object, text } from '../json.ts';
import { storable } from '../storable.ts';

// Reads what a message is beside its text. The forms are those of Meta's webhook reference (messages, 2026-11).

const longestText = 1000;
const longestLabel = 250;
const mostContacts = 50;
const mostNumbers = 20;
const mostItems = 100;

const label = (value: unknown, longest = longestLabel): string => first(storable(text(value)), longest);
const nullable = (value: unknown): string | null => label(value) || null;
/** A number between two others; undefined for anything else. Some versions send a number as its digits. */
const number = (value: unknown, least: number, most: number): number | undefined => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof found === 'number' && found >= least && found <= most ? found : undefined;
};

/** The file of a picture, sound, video, document or sticker; null for any other kind. */
export function readMedia(kind: string, content: unknown): MessageMedia | null {
  if (!hasMedia(kind) || object(content) === undefined) return null;
  const size = number(member(content, 'file_size'), 0, maxMediaBytes);
  return {
    mime_type: nullable(member(content, 'mime_type')),
    filename: nullable(member(content, 'filename')),
    size_bytes: size !== undefined && Number.isInteger(size) ? size : null,
    sha256: toHex(text(member(content, 'sha256'))),
    voice: member(content, 'voice') === true,
    animated: member(content, 'animated') === true,
    state: 'not_fetched',
  };
}

/** WhatsApp gives a digest in Base64. Null for what is no SHA-256. */
function toHex(digest: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(digest)) return digest.toLowerCase();
  const bytes = Buffer.from(digest, 'base64');
  return bytes.length === 32 ? bytes.toString('hex') : null;
}

/**
 * What the message says beside its text; null for a kind that says nothing more. One that is too large loses its end.
 *
 * @param about the ad or post that the customer came from, and the context: the product, or that it is forwarded
 */
export function readContent(
  kind: string,
  content: unknown,
  { referral, context }: { readonly referral?: unknown; readonly context?: unknown } = {},
): MessageContent | null {
  const isForwarded = member(context, 'forwarded') === true || member(context, 'frequently_forwarded') === true;
  const around: Pick<MessageContent, 'referral' | 'product' | 'forwarded'> = {
    ...known({ referral: readReferral(referral), product: readProduct(member(context, 'referred_product')) }),
    ...(isForwarded && { forwarded: true as const }),
  };
  const said = readByKind(kind, content);
  const read = Object.keys(around).length > 0 ? { ...said, ...around } : said;
  if (read === null || bytesOf(read) <= maxContentBytes) return read;
  return shortened(read);
}

/** Undefined when it says nothing that is known. */
function readReferral(referral: unknown): MessageReferral | undefined {
  const read = known({
    source_type: label(member(referral, 'source_type')),
    source_id: identifier(member(referral, 'source_id')),
    source_url: webAddress(member(referral, 'source_url')),
    headline: label(member(referral, 'headline')),
    body: label(member(referral, 'body'), longestText),
    media_type: label(member(referral, 'media_type')),
    ctwa_clid: identifier(member(referral, 'ctwa_clid')),
  });
  return Object.keys(read).length > 0 ? read : undefined;
}

/** Undefined when it names none. */
function readProduct(product: unknown): MessageContent['product'] {
  const product_id = label(member(product, 'product_retailer_id'));
  return product_id === '' ? undefined : { ...known({ catalog_id: label(member(product, 'catalog_id')) }), product_id };
}

function readByKind(kind: string, content: unknown): MessageContent | null {
  switch (kind) {
    case 'location':
      return readLocation(content);
    case 'contacts':
      return readContacts(content);
    case 'interactive':
      return readReply(content);
    case 'button':
      return known({
        kind: 'button' as const,
        id: label(member(content, 'payload')),
        title: label(member(content, 'text')),
      });
    case 'order':
      return readOrder(content);
    default:
      return null;
  }
}

function readLocation(content: unknown): MessageContent | null {
  const latitude = number(member(content, 'latitude'), -90, 90);
  const longitude = number(member(content, 'longitude'), -180, 180);
  if (latitude === undefined || longitude === undefined) return null;
  const [name, address] = [label(member(content, 'name'), longestText), label(member(content, 'address'), longestText)];
  return known({ latitude, longitude, name, address, url: webAddress(member(content, 'url')) });
}

/** An address that a page may link to. Empty for another scheme. */
function webAddress(value: unknown): string {
  const address = text(value);
  return address.length <= longestText && /^https?:/i.test(address) && URL.canParse(address) ? storable(address) : '';
}

function readContacts(content: unknown): MessageContent | null {
  const cards = array(content);
  if (cards === undefined) return null;
  return { contacts: cards.slice(0, mostContacts).map(readCard), ...cutIf(cards.length > mostContacts) };
}

function readCard(card: unknown): ContactCard {
  const name = member(card, 'name');
  const parts = ['first_name', 'middle_name', 'last_name'].map((part) => label(member(name, part))).filter(Boolean);
  const all = (list: unknown, part: string) =>
    (array(list) ?? [])
      .slice(0, mostNumbers)
      .map((one) => label(member(one, part)))
      .filter(Boolean);
  return {
    name: label(member(name, 'formatted_name')) || parts.join(' '),
    organization: nullable(member(member(card, 'org'), 'company')),
    phones: all(member(card, 'phones'), 'phone'),
    emails: all(member(card, 'emails'), 'email'),
  };
}

function readReply(content: unknown): MessageContent | null {
  const button = member(content, 'button_reply');
  const row = member(content, 'list_reply');
  const flow = member(content, 'nfm_reply');
  const reply = button ?? row;
  if (object(reply) !== undefined) {
    return known({
      kind: button === undefined ? ('list' as const) : ('button' as const),
      id: label(member(reply, 'id')),
      title: label(member(reply, 'title')),
      description: label(member(reply, 'description')),
    });
  }
  if (object(flow) === undefined) return null;
  return known({
    kind: 'flow' as const,
    title: label(member(flow, 'name')),
    fields: readFields(text(member(flow, 'response_json'))),
  });
}

/** What was filled into a form: JSON in a text. */
function readFields(json: string): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(storable(json), (_, value) =>
      typeof value === 'string' ? storable(value) : value,
    );
    return object(fields) !== undefined && !Array.isArray(fields) ? (fields as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function readOrder(content: unknown): MessageContent | null {
  const products = array(member(content, 'product_items'));
  if (products === undefined) return null;
  const items = products.slice(0, mostItems).map((item) => ({
    product_id: label(member(item, 'product_retailer_id')),
    quantity: number(member(item, 'quantity'), 0, maxOrderNumber) ?? 0,
    price: number(member(item, 'item_price'), 0, maxOrderNumber) ?? 0,
    currency: label(member(item, 'currency')),
  }));
  return {
    ...known({ catalog_id: label(member(content, 'catalog_id')) }),
    items,
    ...cutIf(products.length > mostItems),
  };
}

const cutIf = (isCut: boolean) => (isCut ? { truncated: true as const } : {});

const bytesOf = (content: MessageContent): number => Buffer.byteLength(JSON.stringify(content));

/** The content without its longest members, so that it can be kept. */
function shortened({ fields: _fields, referral: _referral, contacts, items, ...rest }: MessageContent): MessageContent {
  const half = <One>(list: readonly One[] | undefined) => list?.slice(0, Math.floor(list.length / 2));
  const less = { ...rest, ...(contacts && { contacts: half(contacts) }), ...(items && { items: half(items) }) };
  const marked = { ...less, truncated: true as const } as MessageContent;
  return bytesOf(marked) <= maxContentBytes ? marked : shortened(marked);
}
