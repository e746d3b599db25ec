import { processorTime } from '../shared/processor-time.ts';
import { loadCells, perSecond, type Report, type Section, spread, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import { type InboundFindings, inboundCallers } from './inbound.ts';
import { type OutboundFindings, waitingCallers } from './outbound.ts';
import type { MessagingPlan } from './plan.ts';

export type MessagingFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: MessagingPlan;
  readonly outbound: OutboundFindings;
  readonly inbound: InboundFindings;
};

const mainCallers = 32;
const names = {
  bareSignals: 'bare signal-with-start and an activity',
  bareWebhook: 'bare Fastify + HMAC + one insert',
};

export const reportMessaging = (findings: MessagingFindings): Report => ({
  ...findings,
  sections: [
    ['Targets', targets(findings)],
    ...(findings.plan.parts.includes('outbound') ? sent(findings) : []),
    ...(findings.plan.parts.includes('inbound') ? [received(findings)] : []),
    ['Processor time, in milliseconds per message', timeOfProcessors(findings)],
  ],
});

const deliveredShare = ({ outbound: { sent, bare } }: MessagingFindings): number[] =>
  ratios(
    sent.map(({ deliveredPerSecond }) => deliveredPerSecond),
    perSecond(bare),
  );

const answeredShare = ({ inbound }: MessagingFindings, concurrency: number): number[] =>
  ratios(perSecond(inbound.platform.get(concurrency) ?? []), perSecond(inbound.bare.get(concurrency) ?? []));

const targets = (findings: MessagingFindings): string =>
  targetsTable([
    {
      what: `outbound: delivered ÷ ${names.bareSignals}`,
      values: deliveredShare(findings),
      holds: '≥',
      limit: 0.6,
    },
    {
      what: `inbound × ${mainCallers}: answered ÷ ${names.bareWebhook}`,
      values: answeredShare(findings, mainCallers),
      holds: '≥',
      limit: 0.4,
    },
  ]);

function sent(findings: MessagingFindings): Section[] {
  const { plan, outbound } = findings;
  const { sent, bare, waited } = outbound;
  const { leads, messagesEach, stores } = plan;
  const of = (pick: (each: (typeof sent)[number]) => number, unit = '') => spread(sent.map(pick), unit);
  return [
    [
      `${leads.toLocaleString('en')} leads × ${messagesEach} messages, over ${stores} sandbox channels`,
      table(
        ['what', 'measured'],
        [
          ['accepted/s, 32 callers', of((each) => each.acceptedPerSecond)],
          ['response time, p50', of((each) => each.acceptP50Ms, ' ms')],
          ['response time, p99', of((each) => each.acceptP99Ms, ' ms')],
          ['delivered/s, from the first acceptance to the last delivery', of((each) => each.deliveredPerSecond)],
          ['from acceptance to the channel, p50', of((each) => each.toChannelP50Ms / 1000, ' s')],
          ['from acceptance to the channel, p99', of((each) => each.toChannelP99Ms / 1000, ' s')],
          ['workflow runs', of((each) => each.runs)],
          [`${names.bareSignals}, signals/s`, spread(perSecond(bare))],
          ['delivered ÷ bare', spread(deliveredShare(findings))],
        ],
      ),
    ],
    [
      'One message at a time, with a response that waits for the channel',
      table(
        ['callers', 'messages/s', 'p50', 'p99'],
        waitingCallers.map((concurrency) => [String(concurrency), ...loadCells(waited.get(concurrency) ?? [])]),
      ),
    ],
  ];
}

function received(findings: MessagingFindings): Section {
  const { platform, bare } = findings.inbound;
  return [
    'Signed webhooks, every fifth a duplicate',
    table(
      ['callers', 'variant', 'answered/s', 'p50', 'p99', 'platform ÷ this'],
      inboundCallers.flatMap((concurrency) => [
        [String(concurrency), 'platform', ...loadCells(platform.get(concurrency) ?? []), ''],
        [
          String(concurrency),
          names.bareWebhook,
          ...loadCells(bare.get(concurrency) ?? []),
          spread(answeredShare(findings, concurrency)),
        ],
      ]),
    ),
    table(
      ['callers', 'processed/s, during the load', 'processed/s, after the load'],
      inboundCallers.map((concurrency) => {
        const measured = platform.get(concurrency) ?? [];
        return [
          String(concurrency),
          spread(measured.map(({ processedMeanwhile }) => processedMeanwhile)),
          spread(measured.map(({ processedAfterwards }) => processedAfterwards)),
        ];
      }),
    ),
  ];
}

function timeOfProcessors({ outbound, inbound }: MessagingFindings): string {
  return processorTime(
    [
      { title: 'outbound', measured: outbound.sent },
      { title: names.bareSignals, measured: outbound.bare },
      { title: `webhook × ${mainCallers}`, measured: inbound.platform.get(mainCallers) ?? [] },
      { title: names.bareWebhook, measured: inbound.bare.get(mainCallers) ?? [] },
    ].filter(({ measured }) => measured.length > 0),
  );
}
