/** Ctrl-C as a request to stop in order. */
export type Interruption = { readonly signal: AbortSignal; release(): void };

/** A second Ctrl-C ends the process at once. Within 1 s it counts as the first one, which npm also forwards. */
const sameWithinMs = 1_000;

/** Until `release()`, SIGINT and SIGTERM abort the signal instead of ending the process. */
export function interruptionOf(events: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>): Interruption {
  const abort = new AbortController();
  let firstMs: number | undefined;
  const interrupt = () => {
    firstMs ??= Date.now();
    if (Date.now() - firstMs > sameWithinMs) events.exit(exitCode);
    abort.abort();
  };
  events.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return {
    signal: abort.signal,
    release: () => void events.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  };
}

const exitCode = 130;
