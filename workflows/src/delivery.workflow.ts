import { deliveryWorkflow, type EntityWorkflowInput } from '@mostrador/contracts/workflows';
import { runEntityWorkflow } from './entity-workflow.ts';
import { localFirst } from './local-first.ts';
import { stepOptions } from './step-options.ts';

const deliverMessages = localFirst('deliverMessages', {
  ...stepOptions,
  summary: "Send the due messages of the lead's queue",
});

/** Sends the outbound messages of a lead in the order in which they were accepted. */
export const delivery = (input: EntityWorkflowInput): Promise<void> =>
  runEntityWorkflow(deliveryWorkflow, input, deliverMessages);
