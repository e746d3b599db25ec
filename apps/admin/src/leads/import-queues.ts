/** Takes rows one by one and sends them on in batches, several at a time. */
export type ImportQueues<Row> = {
  /** Waits while the row's queue is full. Throws what a batch has failed with. */
  add(row: Row): Promise<void>;
  /** Sends what is left and waits for all of it. Throws what a batch has failed with. */
  finish(): Promise<void>;
  /** Sends nothing more and waits for what is on its way. */
  settle(): Promise<void>;
};

/**
 * A queue sends one batch after the other, and rows of one phone go into one queue: so of two rows with a phone the first
 * in the file is the first there, whatever is sent again, and no two batches on their way wait for each other's phones.
 */
export function createImportQueues<Row extends { readonly phone: string }>(options: {
  readonly queueCount: number;
  readonly batchSize: number;
  readonly send: (batch: readonly Row[]) => Promise<void>;
}): ImportQueues<Row> {
  const queues = Array.from({ length: options.queueCount }, () => ({
    waiting: [] as Row[],
    sending: Promise.resolve(),
  }));
  let failure: { error: unknown } | undefined;

  const check = () => {
    if (failure) throw failure.error;
  };
  const flush = async (queue: (typeof queues)[number]) => {
    await queue.sending;
    check();
    const batch = queue.waiting;
    if (batch.length === 0) return;
    queue.waiting = [];
    queue.sending = options.send(batch).catch((error) => {
      failure ??= { error };
    });
  };
  const settle = async () => void (await Promise.all(queues.map((queue) => queue.sending)));

  return {
    async add(row) {
      check();
      // The last digits of phones are spread evenly.
      const queue = queues[Number(row.phone.slice(-4)) % queues.length];
      if (queue?.waiting.push(row) === options.batchSize) await flush(queue);
    },
    async finish() {
      await Promise.all(queues.map(flush));
      await settle();
      check();
    },
    settle,
  };
}
