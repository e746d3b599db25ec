import { type MessagePricing, maxAmount, toMicros } from '@mostrador/contracts';
import { Exact, isDate } from '@mostrador/contracts/core';
import type { Log } from '@mostrador/kit/process/log';
import { type OperatorFile, openOperatorFile, parseOperatorFile } from '@mostrador/kit/process/operator-file';
import { type Static, Type } from '@sinclair/typebox';

const Rate = Exact({
  /** The first digits of the customer's number: the country, or an area of it. `*`: every other number. */
  market: Type.String({ pattern: '^([1-9][0-9]{0,6}|\\*)$' }),
  /** A word of the provider, such as `marketing`. */
  category: Type.String({ pattern: '^[a-z][a-z_]{0,49}$' }),
  /** The first day, in UTC. */
  from: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  amount: Type.Number({ minimum: 0, maximum: maxAmount }),
});

const RateFile = Exact({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  /** How many service messages a number has free in a month. */
  free_service_messages: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  rates: Type.Array(Rate, { minItems: 1, maxItems: 10_000 }),
});

/** What the provider bills for a message, in money: the operator's file says it. */
export type RateCard = {
  /** ISO 4217. */
  readonly currency: string;
  /** How many service messages a number has free in a month. Undefined: the file does not say. */
  readonly freeServiceMessages?: number | undefined;
  /** The rate of one message in `currency`; undefined: the file has none. `phone`: the customer's, digits only, or its calling code. */
  rateOf(phone: string | undefined, category: string, at: Date): number | undefined;
};

/** Its form: docs/operations/message-prices.md. */
const rateFile: OperatorFile<typeof RateFile, RateCard> = {
  variable: 'WHATSAPP_RATES_FILE',
  schema: RateFile,
  faultsOf({ rates }) {
    const seen = new Set<string>();
    return rates.flatMap(({ market, category, from, amount }, index) => {
      const key = `${market} ${category} ${from}`;
      const isRepeated = seen.has(key);
      seen.add(key);
      return [
        ...(isDate(from) ? [] : [`#/rates/${index}/from must be a real date`]),
        ...(toMicros(amount) / 1e6 === amount ? [] : [`#/rates/${index}/amount must have at most 6 decimals`]),
        ...(isRepeated ? [`#/rates/${index} repeats the market, the category and the date of another rate`] : []),
      ];
    });
  },
  toValue: rateCardOf,
};

/** Reads the file that `WHATSAPP_RATES_FILE` names, and follows it. @throws ConfigError with all faults of the file at once */
export function openRateCard(path: string, everyMs?: number): (log: Pick<Log, 'info' | 'error'>) => RateCard {
  const follow = openOperatorFile(rateFile, path, everyMs);
  return (log) => {
    const current = follow(log);
    return {
      get currency() {
        return current().currency;
      },
      get freeServiceMessages() {
        return current().freeServiceMessages;
      },
      rateOf: (phone, category, at) => current().rateOf(phone, category, at),
    };
  };
}

/** @throws ConfigError as `openRateCard` does */
export const toRateCard = (text: string): RateCard => parseOperatorFile(rateFile, text);

function rateCardOf({ currency, rates, free_service_messages }: Static<typeof RateFile>): RateCard {
  // The longest market comes first, and in it the latest rate.
  const ordered = rates.toSorted(
    (one, other) => digitsOf(other).length - digitsOf(one).length || other.from.localeCompare(one.from),
  );
  const byCategory = Map.groupBy(ordered, ({ category }) => category);
  return {
    currency,
    freeServiceMessages: free_service_messages,
    rateOf(phone = '', category, at) {
      const day = at.toISOString().slice(0, 10);
      return byCategory.get(category)?.find((rate) => rate.from <= day && phone.startsWith(digitsOf(rate)))?.amount;
    },
  };
}

const digitsOf = ({ market }: Static<typeof Rate>): string => (market === '*' ? '' : market);

type Priced = { readonly pricing?: MessagePricing; readonly recipient?: string; readonly at: Date };

/** The status update, with what its message costs in money. */
export function withAmount<Update extends Priced>(card: RateCard | undefined, update: Update): Update {
  const { pricing, recipient, at } = update;
  if (!card || !pricing) return update;
  const amount = pricing.billable ? card.rateOf(recipient, pricing.category, at) : 0;
  return { ...update, pricing: { ...pricing, amount: amount ?? null, currency: card.currency } };
}
