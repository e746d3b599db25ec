import { maxAmount } from '@mostrador/contracts';
import { Exact, isDate } from '@mostrador/contracts/core';
import type { Log } from '@mostrador/kit/process/log';
import { type OperatorFile, openOperatorFile, parseOperatorFile } from '@mostrador/kit/process/operator-file';
import { type Static, Type } from '@sinclair/typebox';
import type { Usage } from '../models/model.ts';

const Amount = Type.Number({ minimum: 0, maximum: maxAmount });

const Price = Exact({
  /** As the usage of the AI names it: the provider and the model. `embedder/…`: a server that turns texts into vectors. */
  model: Type.String({ pattern: '^(openai|gemini|openai_compatible|embedder)/[\\w./:@+-]{1,200}$' }),
  /** The first day, in UTC. */
  from: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  /** Of a million tokens. An embedder answers none. */
  input: Amount,
  output: Type.Optional(Amount),
});

const PriceFile = Exact({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  prices: Type.Array(Price, { minItems: 1, maxItems: 10_000 }),
});

/** Its form: docs/operations/assistant.md. */
const priceFile: OperatorFile<typeof PriceFile, PriceList> = {
  variable: 'MODEL_PRICES_FILE',
  schema: PriceFile,
  faultsOf({ prices }) {
    const seen = new Set<string>();
    return prices.flatMap(({ model, from, output }, index) => {
      const isRepeated = seen.has(`${model} ${from}`);
      seen.add(`${model} ${from}`);
      const isEmbedder = model.startsWith('embedder/');
      return [
        ...(isDate(from) ? [] : [`#/prices/${index}/from must be a real date`]),
        ...(isEmbedder || output !== undefined ? [] : [`#/prices/${index}/output is required`]),
        ...(isEmbedder && output !== undefined ? [`#/prices/${index}/output is not for an embedder`] : []),
        ...(isRepeated ? [`#/prices/${index} repeats the model and the date of another price`] : []),
      ];
    });
  },
  toValue: priceListOf,
};

/** What calls to models cost, in money: the operator's file says it. */
export type PriceList = {
  /** ISO 4217. */
  readonly currency: string;
  /** In millionths of `currency`, rounded up. Undefined: the price of the model or the tokens are not known. */
  costOf(model: string, usage: Usage, at: Date): number | undefined;
};

/** Reads the file that `MODEL_PRICES_FILE` names, and follows it. @throws ConfigError with all faults of the file at once */
export function openPriceList(path: string): (log: Pick<Log, 'info' | 'error'>) => PriceList {
  const follow = openOperatorFile(priceFile, path);
  return (log) => {
    const current = follow(log);
    return {
      get currency() {
        return current().currency;
      },
      costOf: (model, usage, at) => current().costOf(model, usage, at),
    };
  };
}

/** @throws ConfigError as `openPriceList` does */
export const toPriceList = (text: string): PriceList => parseOperatorFile(priceFile, text);

function priceListOf({ currency, prices }: Static<typeof PriceFile>): PriceList {
  const latestFirst = prices.toSorted((one, other) => other.from.localeCompare(one.from));
  const byModel = Map.groupBy(latestFirst, ({ model }) => model);
  return {
    currency,
    costOf(model, { inputTokens, outputTokens }, at) {
      // The demo model is a part of the platform.
      if (model === 'demo') return 0;
      const day = at.toISOString().slice(0, 10);
      const price = byModel.get(model)?.find(({ from }) => from <= day);
      if (!price || inputTokens === undefined || (price.output !== undefined && outputTokens === undefined)) {
        return undefined;
      }
      // The price of a million tokens in money is that of one token in millionths.
      return Math.ceil(inputTokens * price.input + (outputTokens ?? 0) * (price.output ?? 0));
    },
  };
}
