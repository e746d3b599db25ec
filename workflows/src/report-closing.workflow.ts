import type { ReportService } from '@mostrador/contracts/workflows';
import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ReportActivities } from './activities/report.activities.ts';
import { stepOptions } from './step-options.ts';

const { closeReports } = proxyActivities<ReportActivities>({
  ...stepOptions,
  summary: 'Close the quarter-hours that have ended',
});

/** The result that operators see. `closedUntil` is null when the service has no facts yet. */
type Closed = { readonly closedUntil: string | null };

/** Closes a service's reports up to now, step by step. A rejected step fails the run, and the next run continues. */
export async function reportClosing(service: ReportService): Promise<Closed> {
  for (;;) {
    const { closed_until: closedUntil, more } = await closeReports(service);
    setCurrentDetails(`Closed until: ${closedUntil ?? 'nothing yet, because the service has no facts'}.`);
    if (!more) return { closedUntil };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reportClosing>(service);
  }
}
