import type { Cause } from './cause.ts';
import * as customers from './causes-of-customers.ts';
import * as processes from './causes-of-processes.ts';
import * as work from './causes-of-work.ts';

/** Causes that begin together. They end together, when all their alerts fire. */
type Round = {
  readonly causes: readonly Cause[];
  /** These begin with the round and go on until the end of the drill, because their alerts take minutes. */
  readonly lasting?: readonly Cause[];
};

/** Every alert is caused here, or stands in `onlyTested`: a test compares both with the rules. */
export const rounds: readonly Round[] = [
  {
    lasting: [work.partitionsAreKept],
    causes: [
      ...[customers.outcomeIsLost, customers.payloadIsUnreadable, customers.messageBudgetIsUsedUp],
      ...[customers.calendarIsDown, customers.whatsappRefuses, customers.modelFails, customers.embedderFails],
      ...[customers.aiBudgetIsReached, customers.receiversFail],
      ...[work.wakeUpIsRefused, work.eventIsRefused, processes.certificateExpires],
    ],
  },
  {
    lasting: [customers.receiverIsGone],
    causes: [processes.tableIsLocked],
  },
  { causes: [processes.rightIsRevoked, processes.clockIsWrong, processes.processorIsShort, work.connectionsAreHeld] },
  { causes: [processes.schedulingHangs] },
  { causes: [processes.crmIsStopped] },
  { causes: [processes.workerIsDead, processes.eventsIsStopped, work.temporalIsCutOff] },
];

/** Alerts that only promtool fires (infra/observability/rules/alerts.test.yaml), and why. */
export const onlyTested: Readonly<Record<string, string>> = {
  MostradorGoogleQuotaNearlyUsed:
    'More than 133 requests a second to Google Calendar, from 14 accounts at their own limit, are more work than one machine does.',
};
