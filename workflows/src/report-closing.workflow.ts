import type { ReportService } from '@mostrador/contracts/workflows';
import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ReportActivities } from './activities/report.activities.ts';
import { stepOptions } from './step-options.ts';

const { closeReports } = proxyActivities<ReportActivities>({
  ...stepOptions,
  summary: 'Close the quarter-hours that are over',
});

/** What operators see of a run that ended, and null when nothing has ever happened. */
type Closed = { readonly closedUntil: string | null };

/** Closes a service's reports up to now, step by step. A step that is refused fails the run; the next one tries again. */
export async function reportClosing(service: ReportService): Promise<Closed> {
  for (;;) {
    const { closed_until: closedUntil, more } = await closeReports(service);
    setCurrentDetails(`Closed until ${closedUntil ?? 'nothing, as nothing has happened yet'}.`);
    if (!more) return { closedUntil };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reportClosing>(service);
  }
}
