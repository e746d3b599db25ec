import { type Platform, startPlatform } from './platform.ts';

/**
 * Starts a platform, runs `work` on it, and stops it. Deletes its data and logs only after a good outcome, and keeps
 * them when the work fails or is interrupted.
 */
export async function onPlatform<T>(
  options: Parameters<typeof startPlatform>[0],
  work: (platform: Platform) => Promise<T>,
  isGood: (outcome: T) => boolean,
): Promise<T> {
  const platform = await startPlatform(options);
  const stopAndKeep = async () => {
    await platform.stop();
    platform.keep();
  };
  const interrupted = () => void stopAndKeep().finally(() => process.exit(130));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  try {
    const outcome = await work(platform);
    await platform.stop();
    if (isGood(outcome)) platform.remove();
    else platform.keep();
    return outcome;
  } catch (error) {
    await stopAndKeep();
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
  }
}
