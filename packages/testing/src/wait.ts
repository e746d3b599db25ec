/** A look may cost a request through three processes. */
const quickestMs = 20;
const slowestMs = 100;
const shareOfWait = 0.05;

/**
 * Polls the condition until it returns something truthy, and returns that. A condition that throws counts as not met.
 * Without `intervalMs` it looks every 20 ms at first, and later every 5% of the time that it has waited, at most 100 ms.
 *
 * @throws Error after `timeoutMs` (default: 2 minutes, which only a machine that stands still needs), with the description
 *   and the condition's last error as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { description: string; timeoutMs?: number; intervalMs?: number },
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const { description, timeoutMs = 120_000, intervalMs } = options;
  const begunAtMs = performance.now();
  const giveUpAtMs = begunAtMs + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const result = await condition();
      if (result) return result as Exclude<T, false | 0 | '' | null | undefined>;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    const waitedMs = performance.now() - begunAtMs;
    const pauseMs = intervalMs ?? Math.min(Math.max(quickestMs, waitedMs * shareOfWait), slowestMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  } while (performance.now() < giveUpAtMs);
  throw new Error(`condition not met within ${timeoutMs} ms: ${description}`, { cause: lastError });
}
