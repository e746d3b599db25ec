import { checkTemplate, type MessageTemplate, type ReplyOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';

/** How long messaging may take to say whether the channel has the template. */
const limitMs = 1_000;

/**
 * Throws what messaging says against the template. `at`: the pointer of the object that has it as `template`. Without an
 * answer of messaging it is accepted, because the channel checks it when the follow-up is sent.
 */
export async function assertTemplate(
  rpc: Dependencies['rpc'],
  context: StoreContext,
  template: MessageTemplate | null | undefined,
  at = '#',
): Promise<void> {
  if (!template) return;
  const deadline = Math.min(context.deadline, Date.now() + limitMs);
  let faults: ReplyOf<typeof checkTemplate>['faults'] = [];
  try {
    ({ faults } = await rpc.call(checkTemplate, { body: { template } }, { ...context, deadline }));
  } catch (error) {
    const isUnknown =
      error instanceof AppError && (error.code === 'service_unavailable' || error.code === 'upstream_timeout');
    if (!isUnknown) throw error;
  }
  if (faults.length > 0) {
    throw validationFailed(faults.map(({ pointer, detail }) => ({ pointer: pointer.replace('#', at), detail })));
  }
}
