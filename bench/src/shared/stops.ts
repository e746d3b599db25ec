/**
 * Opens several parts. Each part pushes its stop function to `stops` as soon as it runs. `stop` calls them in reverse
 * order, and so does a failure during opening. A stop function that fails is logged, and the others still run.
 */
export async function openAll<Opened extends object>(
  open: (stops: (() => Promise<void>)[]) => Promise<Opened>,
): Promise<Opened & { stop(): Promise<void> }> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next; next = stops.pop()) await next().catch((error) => console.error(error));
  };
  try {
    return { ...(await open(stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
