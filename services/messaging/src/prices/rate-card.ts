import { readFileSync, statSync } from 'node:fs';
import { type MessagePricing, maxAmount, toMicros } from '@mostrador/contracts';
import { Exact, isDate } from '@mostrador/contracts/core';
import { ConfigError } from '@mostrador/kit/process/config';
import type { Log } from '@mostrador/kit/process/log';
import { compile } from '@mostrador/kit/schema/compile';
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
  /** The rate of one message in `currency`; undefined: the file has none. `phone`: the customer's, digits only, if known. */
  rateOf(phone: string | undefined, category: string, at: Date): number | undefined;
};

/**
 * Reads the file that `WHATSAPP_RATES_FILE` names. Its form: docs/operations/message-prices.md.
 *
 * @throws ConfigError with all faults of the file at once
 */
export function readRateCard(path: string): RateCard {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw faultyFile([`cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  return toRateCard(text);
}

/**
 * The rates of the file as it is now. Whether it has changed is looked up when rates are needed, at most once in `everyMs`.
 * A changed file that is not valid is logged, and the rates from before it stay.
 *
 * @throws ConfigError as `readRateCard` does
 */
export function followRateCard(
  path: string,
  { log, everyMs = 30_000 }: { readonly log: Pick<Log, 'info' | 'error'>; readonly everyMs?: number },
): RateCard {
  const changedAt = () => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  let [known, looked] = [changedAt(), Date.now()];
  let card = readRateCard(path);
  const current = (): RateCard => {
    if (Date.now() - looked < everyMs) return card;
    looked = Date.now();
    try {
      const changed = changedAt();
      if (changed === known) return card;
      known = changed;
      card = readRateCard(path);
      log.info('the changed file of WHATSAPP_RATES_FILE is read');
    } catch (error) {
      log.error({ err: error }, 'the changed file of WHATSAPP_RATES_FILE is not used');
    }
    return card;
  };
  return {
    get currency() {
      return current().currency;
    },
    get freeServiceMessages() {
      return current().freeServiceMessages;
    },
    rateOf: (phone, category, at) => current().rateOf(phone, category, at),
  };
}

/** @throws ConfigError as `readRateCard` does */
export function toRateCard(text: string): RateCard {
  const { currency, rates, free_service_messages } = parse(text);
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

function parse(text: string): Static<typeof RateFile> {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw faultyFile(['is not JSON']);
  }
  const faults = compile(RateFile)(file);
  if (faults.length > 0) throw faultyFile(faults.map(({ pointer, detail }) => `${pointer} ${detail}`));
  const { rates } = file as Static<typeof RateFile>;
  const seen = new Set<string>();
  const wrong = rates.flatMap(({ market, category, from, amount }, index) => {
    const key = `${market} ${category} ${from}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    return [
      ...(isDate(from) ? [] : [`#/rates/${index}/from must be a real date`]),
      ...(toMicros(amount) / 1e6 === amount ? [] : [`#/rates/${index}/amount must have at most 6 decimals`]),
      ...(isRepeated ? [`#/rates/${index} repeats the market, the category and the date of another rate`] : []),
    ];
  });
  if (wrong.length > 0) throw faultyFile(wrong);
  return file as Static<typeof RateFile>;
}

const faultyFile = (faults: readonly string[]): ConfigError =>
  new ConfigError(`The file of WHATSAPP_RATES_FILE is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

/** What the provider told of a message, with what that is in money. */
export function withAmount(
  card: RateCard | undefined,
  pricing: MessagePricing,
  { recipient, at }: { readonly recipient?: string; readonly at: Date },
): MessagePricing {
  if (!card) return pricing;
  const amount = pricing.billable ? card.rateOf(recipient, pricing.category, at) : 0;
  return { ...pricing, amount: amount ?? null, currency: card.currency };
}
