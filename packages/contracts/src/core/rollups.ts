import { Type } from '@sinclair/typebox';
import type { ReportService } from '../workflows.ts';
import { Exact, NullableTimestamp, Timestamp, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

/** Counts closed time into quarter-hours, a while at most: `more` says that there is more to close. Safe at any moment. */
export const defineClosing = (service: ReportService) =>
  defineOperation({
    subject: `${service}.step.reports.close`,
    tenancy: 'none',
    summary: 'Close the quarter-hours that are over',
    request: {},
    reply: Type.Object({
      closed_until: NullableTimestamp,
      more: Type.Boolean({ description: 'There is more to close: ask again.' }),
    }),
  });

/** Compares a stretch of closed time with the facts. `next` is where to go on; null at the end. */
export const defineVerification = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.verify`,
    tenancy: 'none',
    summary: 'Compare the rollups of the reports with the facts',
    request: { body: Exact({ after: NullableTimestamp }) },
    reply: Type.Object({
      closed_until: NullableTimestamp,
      next: NullableTimestamp,
      quarters: Type.Integer({
        description: 'How many that something happened in were compared, of each store and seller.',
      }),
      wrong: Type.Array(
        Type.Object({
          store_id: Uuid,
          subject: Type.String({
            description: 'What was counted: the zero uuid for the store, or the id of a seller.',
          }),
          quarter: Timestamp,
          metric: Type.String(),
          is: Type.Integer(),
          should_be: Type.Integer(),
        }),
        { description: 'At most 100.' },
      ),
    }),
  });

/** Forgets the rollups. Reports count from the rows until the job has closed everything again. */
export const defineReset = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.reset`,
    tenancy: 'none',
    summary: 'Forget the rollups of the reports, so that they are made anew',
    request: {},
    reply: Type.Object({ quarters: Type.Integer({ description: 'Rows forgotten.' }) }),
  });

/** What each service with reports can be asked about its rollups. The services differ in their subjects alone. */
export type RollupOperations = {
  readonly close: ReturnType<typeof defineClosing>;
  readonly verify: ReturnType<typeof defineVerification>;
  readonly reset: ReturnType<typeof defineReset>;
};
