import type { Measurement } from '../appointments/measure.ts';
import { spread } from '../appointments/report.ts';
import { processorTime } from '../shared/processor-time.ts';
import { ratios, spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import { type InboundFindings, inboundCallers } from './inbound.ts';

import { type OutboundFindings, waitingCallers } from './outbound.ts';
import type { MessagingPlan } from './plan.ts';

export type MessagingFindings = {
  readonly plan: MessagingPlan;
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly outbound: OutboundFindings;
  readonly inbound: InboundFindings;
};

const mainCallers = 32;
const names = {
  bareSignals: 'bare signal-with-start and an activity',
  bareWebhook: 'bare Fastify + HMAC + one insert',
};

/** The findings as Markdown, which reads well on a terminal too. */
export function reportMessaging(findings: MessagingFindings): string {
  const { settings, machine, plan } = findings;
  const outbound = plan.parts.includes('outbound');
  const inbound = plan.parts.includes('inbound');
  return [
    settings.map((line) => `- ${line}`).join('\n'),
    machine.map((line) => `- ${line}`).join('\n'),
    '### Targets',
    targets(findings),
    ...(outbound ? sent(findings) : []),
    ...(inbound ? received(findings) : []),
    '### Processor time, in milliseconds a message',
    timeOfProcessors(findings),
  ].join('\n\n');
}

const perSecond = (measured: readonly { perSecond: number }[]) => measured.map((each) => each.perSecond);

const deliveredShare = ({ outbound: { sent, bare } }: MessagingFindings): number[] =>
  ratios(
    sent.map(({ deliveredPerSecond }) => deliveredPerSecond),
    perSecond(bare),
  );

const answeredShare = ({ inbound }: MessagingFindings, concurrency: number): number[] =>
  ratios(perSecond(inbound.platform.get(concurrency) ?? []), perSecond(inbound.bare.get(concurrency) ?? []));

function targets(findings: MessagingFindings): string {
  const rows: [string, readonly number[], number][] = [
    [`outbound: delivered ÷ ${names.bareSignals}`, deliveredShare(findings), 0.6],
    [`inbound × ${mainCallers}: answered ÷ ${names.bareWebhook}`, answeredShare(findings, mainCallers), 0.4],
  ];
  return table(
    ['what', 'measured', 'target', ''],
    rows
      .filter(([, values]) => values.length > 0)
      .map(([what, values, least]) => [
        what,
        spread(values),
        `≥ ${least}`,
        spreadOf(values).median >= least ? 'reached' : 'missed',
      ]),
  );
}

function sent(findings: MessagingFindings): string[] {
  const { plan, outbound } = findings;
  const { sent, bare, waited } = outbound;
  const { leads, messagesEach, stores } = plan;
  const of = (pick: (each: (typeof sent)[number]) => number, unit = '') => spread(sent.map(pick), unit);
  return [
    `### ${leads.toLocaleString('en')} leads × ${messagesEach} messages, over ${stores} sandbox channels`,
    table(
      ['what', 'measured'],
      [
        ['accepted/s, 32 callers', of((each) => each.acceptedPerSecond)],
        ['answered within, p50', of((each) => each.acceptP50Ms, ' ms')],
        ['answered within, p99', of((each) => each.acceptP99Ms, ' ms')],
        ['delivered/s, from the first acceptance to the last delivery', of((each) => each.deliveredPerSecond)],
        ['from acceptance to the channel, p50', of((each) => each.toChannelP50Ms / 1000, ' s')],
        ['from acceptance to the channel, p99', of((each) => each.toChannelP99Ms / 1000, ' s')],
        ['runs of workflows', of((each) => each.runs)],
        [`${names.bareSignals}, signals/s`, spread(perSecond(bare))],
        ['delivered ÷ bare', spread(deliveredShare(findings))],
      ],
    ),
    '### A message and what became of it: the answer waits for the channel',
    table(
      ['at once', 'messages/s', 'p50', 'p99'],
      waitingCallers.map((concurrency) => {
        const measured = waited.get(concurrency) ?? [];
        return [
          String(concurrency),
          spread(perSecond(measured)),
          spread(
            measured.map(({ p50Ms }) => p50Ms),
            ' ms',
          ),
          spread(
            measured.map(({ p99Ms }) => p99Ms),
            ' ms',
          ),
        ];
      }),
    ),
  ];
}

function received(findings: MessagingFindings): string[] {
  const { platform, bare } = findings.inbound;
  const row = (concurrency: number, name: string, measured: readonly Measurement[], share: string) => [
    String(concurrency),
    name,
    spread(perSecond(measured)),
    spread(
      measured.map(({ p50Ms }) => p50Ms),
      ' ms',
    ),
    spread(
      measured.map(({ p99Ms }) => p99Ms),
      ' ms',
    ),
    share,
  ];
  return [
    '### Signed webhooks, a fifth of them again',
    table(
      ['at once', 'variant', 'answered/s', 'p50', 'p99', 'platform ÷ this'],
      inboundCallers.flatMap((concurrency) => [
        row(concurrency, 'platform', platform.get(concurrency) ?? [], ''),
        row(concurrency, names.bareWebhook, bare.get(concurrency) ?? [], spread(answeredShare(findings, concurrency))),
      ]),
    ),
    table(
      ['at once', 'processed/s, while they come', 'processed/s, afterwards'],
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
