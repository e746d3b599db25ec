import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';

/**
 * A worker whose workflows run on the same thread as those of the process's other workers. The SDK starts a thread for
 * each worker, which takes 34 MB and 0.4 s of processor time, and a workflow here needs a millisecond of it at a time.
 * A process with one task queue has a thread of its own, and so has
 * each version of the code.
 */
export class SharedThreadWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...parameters: Parameters<typeof Worker.createWorkflowCreator>
  ): Promise<WorkflowCreator> {
    return await threadOf(parameters[0].code)(() => Worker.createWorkflowCreator(...parameters));
  }
}

/**
 * Returns a function that lets several users share what the first one creates. It is destroyed with its last user. After
 * a failure new users do not get it, because its thread may be gone.
 */
export function shareCreator(): (create: () => Promise<WorkflowCreator>) => Promise<WorkflowCreator> {
  let current: { readonly made: Promise<WorkflowCreator>; users: number } | undefined;
  return async (create) => {
    current ??= { made: create(), users: 0 };
    const shared = current;
    shared.users += 1;
    const abandon = () => {
      if (current === shared) current = undefined;
    };
    const abandoning = (error: unknown) => {
      abandon();
      throw error;
    };
    const creator = await shared.made.catch(abandoning);
    return {
      createWorkflow: (options) => creator.createWorkflow(options).catch(abandoning),
      async destroy() {
        shared.users -= 1;
        if (shared.users > 0) return;
        abandon();
        await creator.destroy();
      },
    };
  };
}

const threads = new Map<string, ReturnType<typeof shareCreator>>();

/** How a worker joins the thread that runs this code. */
function threadOf(code: string): ReturnType<typeof shareCreator> {
  const existing = threads.get(code);
  if (existing) return existing;
  const join = shareCreator();
  threads.set(code, join);
  return join;
}
