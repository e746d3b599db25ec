/**
 * The result of the work, or that of `otherwise`, which may throw, when the signal is aborted first. It leaves no listener
 * behind, because the signal may live as long as the process.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, otherwise: () => T): Promise<T> {
  const aborted = Promise.withResolvers<void>();
  const leave = () => aborted.resolve();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, aborted.promise.then(otherwise)]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
