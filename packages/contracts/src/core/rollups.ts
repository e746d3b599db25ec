import { Type } from '@sinclair/typebox';
import type { ReportService } from '../workflows.ts';
import { Exact, NullableTimestamp, Timestamp, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

/** Closes finished quarter-hours, for a few seconds per call. `more`: some are left. Safe to call at any time. */
export const defineClosing = (service: ReportService) =>
  defineOperation({
    subject: `${service}.step.reports.close`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Close the finished quarter-hours',
    request: {},
    reply: Type.Object({
      closed_until: NullableTimestamp,
      more: Type.Boolean({ description: 'More is left to close: call again.' }),
    }),
  });

/** Compares a part of the closed time with the facts. Pass `next` as `after` to continue; it is null at the end. */
export const defineVerification = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.verify`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Compare the rollups of the reports with the facts',
    request: { body: Exact({ after: NullableTimestamp }) },
    reply: Type.Object({
      closed_until: NullableTimestamp,
      next: NullableTimestamp,
      quarters: Type.Integer({
        description: 'Number of compared quarter-hours, per store and seller, in which something happened.',
      }),
      wrong: Type.Array(
        Type.Object({
          store_id: Uuid,
          subject: Type.String({
            description: 'What was counted: the zero UUID for the store, or the id of a seller.',
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

/** Deletes the rollups. Reports count from the rows until the job has closed everything again. */
export const defineReset = (service: ReportService) =>
  defineOperation({
    subject: `${service}.admin.reports.reset`,
    access: 'platform',
    tenancy: 'none',
    summary: 'Delete the rollups of the reports, so that the job builds them again',
    request: {},
    reply: Type.Object({ quarters: Type.Integer({ description: 'Rows deleted.' }) }),
  });

/** The rollup operations of a service with reports. The services differ only in their subjects. */
export type RollupOperations = {
  readonly close: ReturnType<typeof defineClosing>;
  readonly verify: ReturnType<typeof defineVerification>;
  readonly reset: ReturnType<typeof defineReset>;
};
