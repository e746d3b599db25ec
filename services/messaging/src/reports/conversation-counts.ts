import {
  type ConversationCounts,
  firstResponseBucketSeconds,
  type PricingCategory,
  pricingCategories,
} from '@mostrador/contracts';
import { createRollups } from '@mostrador/rollups';

/** The last bucket counts responses that took longer than every limit. */
const responseBuckets = [...firstResponseBucketSeconds.keys(), firstResponseBucketSeconds.length];
const responseMetrics = responseBuckets.map((bucket) => `response_le_${bucket}` as const);

const pricedSources = ['ai', 'seller', 'api', 'followup'] as const;
const pricedMetrics = (['billed', 'free'] as const).flatMap((as) =>
  pricingCategories.flatMap((category) => pricedSources.map((source) => `${as}_${category}_${source}` as const)),
);

const amountMetrics = pricingCategories.flatMap((category) =>
  pricedSources.map((source) => `amount_${category}_${source}` as const),
);

/** The metrics of the view `report_facts_with_prices`. The rollups store totals in this order, so add new ones at the end. */
export const conversationFacts = [
  'sessions_started',
  'sessions_ended',
  'messages_inbound',
  'outbound_ai',
  'outbound_seller',
  'outbound_api',
  'outbound_followup',
  'messages_failed',
  'response_ms',
  ...responseMetrics,
  ...pricedMetrics,
  ...amountMetrics,
  'without_rate',
] as const;
export type ConversationFacts = Readonly<Record<(typeof conversationFacts)[number], number>>;
export const conversationRollups = createRollups(conversationFacts, 'report_facts_with_prices');

/** `currency`: that of the rate file. Null: there is none. */
export function toConversationCounts(stored: ConversationFacts, currency: string | null): ConversationCounts {
  const facts = withoutNegative(stored);
  const { sessions_started, sessions_ended, messages_inbound, messages_failed } = facts;
  return {
    sessions_started,
    sessions_ended,
    messages_inbound,
    messages_outbound: {
      ai: facts.outbound_ai,
      seller: facts.outbound_seller,
      api: facts.outbound_api,
      followup: facts.outbound_followup,
    },
    messages_priced: { billable: pricedAs(facts, 'billed'), free: pricedAs(facts, 'free') },
    messages_cost: costOf(facts, currency),
    messages_failed,
    first_response_seconds: toFirstResponseSeconds(facts),
  };
}

/**
 * What has a price. A process of 0.2.0 closes a quarter-hour with totals that lack prices, so a difference of totals may be
 * negative until `report rebuild`.
 */
const withoutNegative = (facts: ConversationFacts): ConversationFacts => ({
  ...facts,
  ...Object.fromEntries(
    [...pricedMetrics, ...amountMetrics, 'without_rate' as const].map((metric) => [
      metric,
      Math.max(0, facts[metric] ?? 0),
    ]),
  ),
});

function costOf(facts: ConversationFacts, currency: string | null): NonNullable<ConversationCounts['messages_cost']> {
  const sum = (metrics: readonly (keyof ConversationFacts)[]) =>
    metrics.reduce((total, metric) => total + (facts[metric] ?? 0), 0);
  const { without_rate = 0 } = facts;
  const rated = sum(pricedMetrics.filter((metric) => metric.startsWith('billed_'))) - without_rate;
  const amounts = byCategory((category, source) => (facts[`amount_${category}_${source}`] ?? 0) / 1e6);
  const isKnown = currency !== null && (rated > 0 || without_rate === 0);
  return { currency, amount: isKnown ? sum(amountMetrics) / 1e6 : null, without_rate, amounts };
}

type PricedBySource = Record<(typeof pricedSources)[number], number>;

const pricedAs = (facts: ConversationFacts, as: 'billed' | 'free') =>
  byCategory((category, source) => facts[`${as}_${category}_${source}`] ?? 0);

const byCategory = (
  of: (category: PricingCategory, source: (typeof pricedSources)[number]) => number,
): Record<PricingCategory, PricedBySource> =>
  Object.fromEntries(
    pricingCategories.map((category) => [
      category,
      Object.fromEntries(pricedSources.map((source) => [source, of(category, source)])),
    ]),
  ) as Record<PricingCategory, PricedBySource>;

function toFirstResponseSeconds(facts: ConversationFacts): ConversationCounts['first_response_seconds'] {
  const counts = responseMetrics.map((metric) => facts[metric] ?? 0);
  const total = counts.reduce((sum, count) => sum + count);
  if (total === 0) return { p50: null, p90: null, average: null };
  return {
    p50: limitAt(counts, Math.ceil(total * 0.5)),
    p90: limitAt(counts, Math.ceil(total * 0.9)),
    average: Math.round(facts.response_ms / total) / 1000,
  };
}

/** The upper limit of the bucket with the response of this rank. Ranks start at 1. */
function limitAt(counts: readonly number[], rank: number): number {
  let upTo = 0;
  const bucket = counts.findIndex((count) => {
    upTo += count;
    return upTo >= rank;
  });
  return firstResponseBucketSeconds[bucket] ?? (firstResponseBucketSeconds.at(-1) as number);
}
