/** Collects rows into batches and sends several batches at a time. */
export type ImportQueues<Row> = {
  /** Waits while the row's queue is full. Throws the error of a failed batch. */
  add(row: Row): Promise<void>;
  /** Sends the remaining rows and waits for all batches. Throws the error of a failed batch. */
  finish(): Promise<void>;
  /** Waits for the batches in flight and sends nothing more. */
  settle(): Promise<void>;
};

/**
 * A queue sends one batch at a time, and all rows of one phone share a queue. So the platform gets the rows of a phone
 * in the order of the file, even after retries. And no two batches in flight wait for each other's phones.
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
      // The last 4 digits of phones are evenly distributed.
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
