import type { Sql } from './client.ts';

/** Which connection asks next. No order in which a pooler hands out two sessions gives each its own every time. */
const order = [0, 1, 0, 0, 1, 1, 0, 1] as const;

/** Whether two connections keep a session of PostgreSQL each, also between transactions. */
export async function keepSessions(connections: readonly [Sql, Sql]): Promise<boolean> {
  const sessions: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (const turn of order) {
    const [row] = await connections[turn]<[{ pid: number }]>`select pg_backend_pid() as pid`;
    sessions[turn].add(row.pid);
  }
  const [first, second] = sessions;
  return first.size === 1 && second.size === 1 && [...first].every((pid) => !second.has(pid));
}
