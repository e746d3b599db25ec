import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import { type OverdueRows, wakeOverdue } from '@mostrador/kit/step/overdue';
import type { Dependencies } from '../dependencies.ts';
import { wakeFollowup } from '../followups/followup.ts';
import { takeUnanswered, type Unanswered } from './reminder.repository.ts';

const everyMs = 60_000;

/** Reminders that asked. The step of one without an answer reads the messages of the lead. */
export const unansweredReminders: Omit<OverdueRows<Unanswered>, 'count' | 'longest'> = {
  name: 'unanswered reminders',
  take: takeUnanswered,
  wakeUpOf: (row) => wakeFollowup(row, 'overdue'),
};

/**
 * Looks for answers of which no notice came: 15 minutes after a reminder, then whenever its age has doubled, and 15 minutes
 * before the appointment begins. As a rule the notice comes within a second, and nothing is left to find.
 */
export const answersJob = (dependencies: Pick<Dependencies, 'systemDatabase' | 'relay'> & { readonly log: Log }) =>
  periodically({
    name: 'answers to reminders',
    everyMs,
    log: dependencies.log,
    run: async (signal) => void (await wakeOverdue({ ...unansweredReminders, ...dependencies }, signal)),
  });
