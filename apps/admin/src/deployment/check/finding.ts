export const checkedServers = ['postgres', 'nats', 'temporal'] as const;
export type CheckedServer = (typeof checkedServers)[number];

/** What a check found. `detail` says what is there; of a fault, what is wrong and then what to do. It shows no secret. */
export type Finding = {
  readonly server: CheckedServer;
  /** A role, a user, a schema, a stream or a namespace. */
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
};
