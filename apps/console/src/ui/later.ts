const waiting = new Map<() => void, ReturnType<typeof setTimeout>>();

/** What a person could still take back is done at once when the page goes away. */
globalThis.addEventListener?.('pagehide', () => {
  for (const act of [...waiting.keys()]) run(act);
});

function run(act: () => void): void {
  clearTimeout(waiting.get(act));
  if (waiting.delete(act)) act();
}

/**
 * Does something after a while, unless it is taken back. For what cannot be undone once it is done.
 * @returns takes it back
 */
export function doLater(act: () => void, ms: number): () => void {
  waiting.set(
    act,
    setTimeout(() => run(act), ms),
  );
  return () => {
    clearTimeout(waiting.get(act));
    waiting.delete(act);
  };
}
