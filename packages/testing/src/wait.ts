/**
 * Polls the condition until it returns something truthy, and returns that. A condition that throws counts as not met.
 *
 * @throws Error after `timeoutMs` (default: 2 minutes, which only a machine that stands still needs), with the description
 *   and the condition's last error as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { description: string; timeoutMs?: number; intervalMs?: number },
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const { description, timeoutMs = 120_000, intervalMs = 20 } = options;
  const giveUpAtMs = performance.now() + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const result = await condition();
      if (result) return result as Exclude<T, false | 0 | '' | null | undefined>;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  } while (performance.now() < giveUpAtMs);
  throw new Error(`condition not met within ${timeoutMs} ms: ${description}`, { cause: lastError });
}
