/** Takes rows one by one and sends them on in batches, several at a time. */
export type Lanes<Row> = {
  /** Waits while the row's lane is full. Throws what a batch has failed with. */
  add(row: Row): Promise<void>;
  /** Sends what is left and waits for all of it. Throws what a batch has failed with. */
  finish(): Promise<void>;
  /** Sends nothing more and waits for what is on its way. */
  settle(): Promise<void>;
};

/**
 * A lane sends one batch after the other, and rows of one phone go into one lane: so of two rows with a phone the first
 * in the file is the first there, whatever is sent again, and no two batches on their way wait for each other's phones.
 */
export function createLanes<Row extends { readonly phone: string }>(options: {
  readonly laneCount: number;
  readonly batchSize: number;
  readonly send: (batch: readonly Row[]) => Promise<void>;
}): Lanes<Row> {
  const lanes = Array.from({ length: options.laneCount }, () => ({ waiting: [] as Row[], sending: Promise.resolve() }));
  let failure: { error: unknown } | undefined;

  const check = () => {
    if (failure) throw failure.error;
  };
  const flush = async (lane: (typeof lanes)[number]) => {
    await lane.sending;
    check();
    const batch = lane.waiting;
    if (batch.length === 0) return;
    lane.waiting = [];
    lane.sending = options.send(batch).catch((error) => {
      failure ??= { error };
    });
  };
  const settle = async () => void (await Promise.all(lanes.map((lane) => lane.sending)));

  return {
    async add(row) {
      check();
      // The last digits of phones are spread evenly.
      const lane = lanes[Number(row.phone.slice(-4)) % lanes.length];
      if (lane?.waiting.push(row) === options.batchSize) await flush(lane);
    },
    async finish() {
      await Promise.all(lanes.map(flush));
      await settle();
      check();
    },
    settle,
  };
}
