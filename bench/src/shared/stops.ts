/**
 * Opens what is made of many parts: each says how it is stopped as soon as it runs. `stop` stops them in reverse, and so
 * does a failure on the way. A stop that fails is told and holds up no other.
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
