import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, NullableString, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { conversationMetrics } from '../core/report-metrics.ts';
import { Boundaries, Bucketed, Count, CountOf, describe, NullableNumber, Span } from '../core/reports.ts';
import { defineClosing, defineReset, defineVerification } from '../core/rollups.ts';
import { type PricingCategory, pricingCategories } from './messages.ts';

const PricedBySource = Type.Object(
  { ai: CountOf('ai'), seller: CountOf('seller'), api: CountOf('api'), followup: CountOf('followup') },
  { title: 'PricedBySource', description: 'Messages of one category, by source.' },
);

const PricedByCategory = Type.Object(
  Object.fromEntries(pricingCategories.map((category) => [category, PricedBySource])) as Record<
    PricingCategory,
    typeof PricedBySource
  >,
  { title: 'PricedByCategory', description: 'Messages by category and source.' },
);

const Amount = Type.Number({ minimum: 0, description: 'An amount in the currency.' });

const AmountBySource = Type.Object(
  { ai: Amount, seller: Amount, api: Amount, followup: Amount },
  { title: 'AmountBySource', description: 'Amounts of one category, by source.' },
);

const AmountByCategory = Type.Object(
  Object.fromEntries(pricingCategories.map((category) => [category, AmountBySource])) as Record<
    PricingCategory,
    typeof AmountBySource
  >,
  { title: 'AmountByCategory', description: 'Amounts by category and source.' },
);

export const ConversationCounts = Type.Object(
  {
    sessions_started: Count(conversationMetrics.sessions_started),
    sessions_ended: Count(conversationMetrics.sessions_ended),
    messages_inbound: Count(conversationMetrics.messages_inbound),
    messages_outbound: Type.Object(
      { ai: CountOf('ai'), seller: CountOf('seller'), api: CountOf('api'), followup: CountOf('followup') },
      { title: 'MessagesBySource', description: describe(conversationMetrics.messages_outbound) },
    ),
    messages_priced: Type.Optional(
      Type.Object(
        {
          billable: PricedByCategory,
          free: PricedByCategory,
        },
        { title: 'MessagesPriced', description: describe(conversationMetrics.messages_priced) },
      ),
    ),
    messages_cost: Type.Optional(
      Type.Object(
        {
          currency: About(NullableString, 'The currency of the amounts (ISO 4217). Null: the server has no rate file.'),
          amount: NullableNumber('The sum. Null: of no billed message of the period a rate was known.'),
          without_rate: Type.Integer({
            minimum: 0,
            description: 'The number of billed messages that are missing in the amounts, because no rate was known.',
          }),
          amounts: AmountByCategory,
        },
        { title: 'MessagesCost', description: describe(conversationMetrics.messages_cost) },
      ),
    ),
    messages_failed: Count(conversationMetrics.messages_failed),
    first_response_seconds: Type.Object(
      {
        p50: NullableNumber('Null without a first response.'),
        p90: NullableNumber('Null without a first response.'),
        average: NullableNumber(
          'The mean of the exact times, to a thousandth of a second. Null without a first response.',
        ),
      },
      { title: 'FirstResponseSeconds', description: describe(conversationMetrics.first_response_seconds) },
    ),
  },
  { title: 'ConversationCounts', description: 'Sessions and messages of the period.' },
);
export type ConversationCounts = Static<typeof ConversationCounts>;

/** The ads and posts that a summary has at most, those with the most messages. */
export const mostAdsOfReport = 100;

const ToldOfAd = (description: string) => About(NullableString, `${description} Null: WhatsApp has not said.`);
const NumberOf = (description: string) => Type.Integer({ minimum: 0, description });

export const AdCounts = Type.Object(
  {
    source_type: ToldOfAd('`ad` or `post`. New words may come.'),
    source_id: ToldOfAd('The id of the ad or post at Meta.'),
    source_url: ToldOfAd('Its page.'),
    headline: ToldOfAd('Its headline, as told last.'),
    messages: NumberOf('Messages that customers wrote after a tap on it.'),
    leads: NumberOf('The leads who wrote them. A lead counts once.'),
    new_leads: NumberOf('Those of them whose first message it was.'),
  },
  { title: 'AdCounts', description: 'Who came from one ad or post of Meta to WhatsApp in the period.' },
);
export type AdCounts = Static<typeof AdCounts>;

export const summarizeConversations = defineOperation({
  subject: 'messaging.internal.reports.summary',
  summary: "Count a store's sessions and messages over a period",
  request: { body: Exact({ boundaries: Boundaries }) },
  reply: Type.Composite([
    Bucketed(ConversationCounts),
    // The previous version of the service does not have it.
    Type.Object({ by_ad: Type.Optional(Type.Array(AdCounts)) }),
  ]),
});

export const LeadConversationCounts = Type.Composite(
  [
    ConversationCounts,
    Type.Object({
      last_interaction_at: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When the last message of the period was received or sent.',
      }),
    }),
  ],
  { title: 'LeadConversationCounts', description: 'Sessions and messages of the lead in the period.' },
);

export const reportConversation = defineOperation({
  subject: 'messaging.internal.reports.lead',
  summary: "Count a lead's sessions and messages over a period",
  request: { body: Exact({ lead_id: Uuid, ...Span }) },
  reply: LeadConversationCounts,
});

export const closeConversationReports = defineClosing('messaging');

export const verifyConversationReports = defineVerification('messaging');

export const resetConversationReports = defineReset('messaging');

export const messagingReportOperations = {
  summarizeConversations,
  reportConversation,
  closeConversationReports,
  verifyConversationReports,
  resetConversationReports,
} as const;
