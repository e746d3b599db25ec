/** Errors that would end a process of the platform: exceptions and rejections without a handler. */
export type Uncaught = { readonly errors: unknown[]; stop(): void };

/** Collects them from now on. Vitest keeps its own process alive, so without this a test would not notice them. */
export function collectUncaught(): Uncaught {
  const errors: unknown[] = [];
  const note = (error: unknown) => void errors.push(error);
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', note);
  return {
    errors,
    stop() {
      process.off('uncaughtExceptionMonitor', note);
      process.off('unhandledRejection', note);
    },
  };
}
