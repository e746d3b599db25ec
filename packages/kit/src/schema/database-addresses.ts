/** user and password, hosts, the rest. Hosts with their ports are no URL that Node could parse. */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/i;

/**
 * An address for each host of `postgres://user:password@host1:5432,host2:5432/name`, the form of libpq. Every connection
 * must lead to a server that accepts writes, so libpq's `target_session_attrs` says nothing new and is removed.
 */
export function addressesOf(url: string): string[] {
  const [, before = '', hosts = '', rest = url] = form.exec(url) ?? [];
  return hosts.split(',').map((host) => {
    const address = URL.parse(`${before}${host}${rest}`);
    if (!address?.searchParams.has('target_session_attrs')) return `${before}${host}${rest}`;
    address.searchParams.delete('target_session_attrs');
    return address.href;
  });
}

/** How a connection is secured. `undefined` in its place: not at all. */
export type TlsMode = {
  /** False: a server without TLS gets a connection in plain text. */
  readonly required: boolean;
  /** Whether the certificate must come from a trusted authority and name the host. */
  readonly verified: boolean;
  /** TLS begins with the first byte (`sslnegotiation=direct`), not after PostgreSQL has agreed to it. */
  readonly direct: boolean;
};

/**
 * What `sslmode` (or `ssl`) of an address says, as postgres.js reads it: every text that is not listed here verifies, as
 * `verify-full` does.
 */
export function tlsModeOf(url: URL | null): TlsMode | undefined {
  const parameters = url?.searchParams;
  const text = parameters?.get('sslmode') ?? parameters?.get('ssl') ?? 'disable';
  if (text === 'disable' || text === 'false') return undefined;
  const optional = text === 'allow' || text === 'prefer';
  return {
    required: !optional,
    verified: !optional && text !== 'require',
    direct: parameters?.get('sslnegotiation') === 'direct',
  };
}
