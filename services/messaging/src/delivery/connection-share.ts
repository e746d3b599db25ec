/** How many connections the pump of a process uses at once, of `size`. */
type ConnectionShare = {
  /** The transactions of all shards. One that waits for a lock delays no other store. */
  readonly turns: number;
  /** Those of them that get a connection before the requests that wait for one. All others wait among the requests. */
  readonly first: number;
  /** The same, with those for a new message. */
  readonly firstOfNew: number;
};

/**
 * Fewer transactions than connections: a set that waits for one too long must record its outcomes one by one. And never all
 * connections come before the requests, which otherwise would get none while a queue leaves.
 */
export const shareOfConnections = (size: number): ConnectionShare => ({
  turns: Math.max(1, Math.min(6, size - 2)),
  first: Math.min(2, size - 1),
  firstOfNew: Math.min(4, size - 1),
});
