import {
  Contact,
  File,
  Image,
  type LucideIcon,
  MapPin,
  Megaphone,
  MessageCircleQuestionMark,
  Mic,
  MousePointerClick,
  ShoppingBag,
  Sticker,
  Video,
} from 'lucide-react';
import type { Message } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { OutsideLink } from '../ui/outside-link.tsx';
import { readableSize } from '../ui/readable-size.ts';
import styles from './message-content.module.css';
import { wordsOfReply, wordsOfType } from './message-words.ts';

const icons: Partial<Record<NonNullable<Message['type']>, LucideIcon>> = {
  image: Image,
  audio: Mic,
  video: Video,
  document: File,
  sticker: Sticker,
  location: MapPin,
  contacts: Contact,
  interactive_reply: MousePointerClick,
  order: ShoppingBag,
  unsupported: MessageCircleQuestionMark,
};

/** Whether the message is named by its kind. */
export const isNamed = ({ type = 'text' }: Message): boolean => icons[type] !== undefined;

/** What a message says beside its text. */
export function MessageContent({ message }: { readonly message: Message }) {
  const { type = 'text', media, content, revoked_at } = message;
  const Icon = icons[type];
  if (revoked_at) return null;
  return (
    <>
      {content?.referral && <ComesFrom referral={content.referral} />}
      {Icon && (
        <div className={styles.content}>
          <p className={styles.type}>
            <Icon size={14} aria-hidden />
            {content?.kind ? wordsOfReply(content.kind) : wordsOfType(type, media?.voice)}
          </p>
          {media && (
            <p className={styles.detail} dir="auto">
              {[
                media.filename,
                media.size_bytes === null ? null : readableSize(media.size_bytes),
                m.inbox_not_fetched(),
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          )}
          {content && <Details content={content} />}
        </div>
      )}
    </>
  );
}

type Referral = NonNullable<NonNullable<Message['content']>['referral']>;

/** The ad or post that brought the customer. */
function ComesFrom({ referral: { source_type, source_url = '', headline, body } }: { readonly referral: Referral }) {
  const words = [headline, body].filter(Boolean).join(' · ');
  return (
    <div className={styles.content}>
      <p className={styles.type}>
        <Megaphone size={14} aria-hidden />
        {source_type === 'post' ? m.inbox_from_post() : m.inbox_from_ad()}
      </p>
      <p className={styles.detail} dir="auto">
        {words} {/^https?:/i.test(source_url) && <OutsideLink to={source_url}>{m.inbox_open_source()}</OutsideLink>}
      </p>
    </div>
  );
}

function Details({ content }: { readonly content: NonNullable<Message['content']> }) {
  const { latitude, longitude, name, address, contacts, title, description, fields, items } = content;
  return (
    <>
      {latitude !== undefined && longitude !== undefined && (
        <p className={styles.detail} dir="auto">
          {[name, address].filter(Boolean).join(', ')}{' '}
          <OutsideLink to={mapOf(latitude, longitude)}>{m.inbox_open_map()}</OutsideLink>
        </p>
      )}
      {title && (
        <p className={styles.title} dir="auto">
          {title}
        </p>
      )}
      {description && (
        <p className={styles.detail} dir="auto">
          {description}
        </p>
      )}
      {contacts && (
        <ul className={styles.lines}>
          {contacts.map((card, index) => (
            <li key={`${index}`} dir="auto">
              <strong>{card.name}</strong>{' '}
              {[card.organization, ...card.phones, ...card.emails].filter(Boolean).join(' · ')}
            </li>
          ))}
        </ul>
      )}
      {items && (
        <ul className={styles.lines}>
          {items.map(({ product_id, quantity, price, currency }, index) => (
            <li key={`${index}`} dir="auto">
              {quantity} × {product_id} · {price} {currency}
            </li>
          ))}
        </ul>
      )}
      {fields && (
        <dl className={styles.fields}>
          {Object.entries(fields).map(([label, value]) => (
            <div key={label} dir="auto">
              <dt>{label}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {content.truncated && <p className={styles.detail}>{m.inbox_content_cut()}</p>}
    </>
  );
}

const mapOf = (latitude: number, longitude: number): string =>
  `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
