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
