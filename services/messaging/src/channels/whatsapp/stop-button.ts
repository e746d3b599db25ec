import { plainText, readOptOut } from '@mostrador/contracts';
import type { OptOutWish } from '../channel-provider.ts';

/**
 * What the opt-out buttons of marketing templates say, in the languages of WhatsApp's template editor and its examples.
 * A store may write its own text or payload, so a stop word on a button counts, too (`optOutWords`).
 */
const phrases: Readonly<Record<OptOutWish['want'], Readonly<Record<OptOutWish['scope'], readonly string[]>>>> = {
  stop: {
    marketing: [
      ...['stop promotions', 'stop promos', 'stop marketing', 'stop marketing messages', 'stop offers'],
      ...['unsubscribe from promos', 'unsubscribe from promotions', 'unsubscribe from marketing'],
      ...['unsubscribe from marketing messages', 'opt out of promotions', 'opt out of marketing', 'marketing opt out'],
      ...['parar promoções', 'parar as promoções', 'interromper promoções', 'cancelar promoções', 'parar ofertas'],
      ...['sair das promoções', 'não quero promoções', 'parar marketing', 'parar de receber promoções'],
      ...['detener promociones', 'detener las promociones', 'parar promociones', 'cancelar promociones'],
      ...['no recibir promociones', 'detener marketing', 'arrêter les promotions', 'stopper les promotions'],
      ...['werbung stoppen', 'angebote stoppen', 'werbung abbestellen', 'interrompi promozioni', 'ferma promozioni'],
    ],
    all: [
      ...['unsubscribe from all', 'unsubscribe from all messages', 'stop all messages', 'opt out of all'],
      ...['cancelar todas as mensagens', 'parar todas as mensagens', 'parar todas', 'não quero mais mensagens'],
      ...['detener todos los mensajes', 'cancelar todos los mensajes', 'darme de baja de todo'],
    ],
  },
  start: {
    marketing: [
      ...['resume promotions', 'resume promos', 'resume marketing', 'resume marketing messages'],
      ...['retomar promoções', 'voltar a receber promoções', 'reanudar promociones'],
    ],
    all: ['resume all', 'resume all messages'],
  },
};

const wishes = new Map(
  (['stop', 'start'] as const).flatMap((want) =>
    (['marketing', 'all'] as const).flatMap((scope) =>
      phrases[want][scope].map((phrase): [string, OptOutWish] => [plainText(phrase), { want, scope }]),
    ),
  ),
);

/** What a tap on a template's button says about messages. The payload is the store's, and the text what the customer saw. */
export const readStopButton = (payload: string, shown: string): OptOutWish | undefined =>
  readLabel(payload) ?? readLabel(shown);

function readLabel(label: string): OptOutWish | undefined {
  // A button's payload has at most 256 characters; this bounds the work.
  if (label.length > 256) return undefined;
  const word = readOptOut(label);
  return wishes.get(plainText(label)) ?? (word ? { want: word, scope: 'all' } : undefined);
}
