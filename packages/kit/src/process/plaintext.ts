import { BlockList, isIP } from 'node:net';
import { addressesOf, tlsModeOf } from '../schema/database-addresses.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const databases = ['POSTGRES_URL', 'DATABASE_URL', 'DATABASE_SYSTEM_URL', 'DATABASE_OWNER_URL'];
const natsTls = ['NATS_TLS_CA', 'NATS_TLS_CERT'];
const temporalTls = [
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERT',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_API_KEY',
];

/** Whether a connection without TLS may lead to this host: to this machine, or to a host that the setting lists. */
export function mayBePlaintext(host: string, allowedHosts = ''): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  const family = isIP(name);
  if (name === 'localhost' || (family !== 0 && loopback.check(name, family === 6 ? 'ipv6' : 'ipv4'))) return true;
  return allowedHosts
    .split(',')
    .map((allowed) => allowed.trim().toLowerCase())
    .some((allowed) => allowed !== '' && allowed === name);
}

/** The variables whose servers this process would reach without TLS beyond this machine, unless the operator allows it. */
export function plaintextFaults(config: Readonly<Record<string, unknown>>): { pointer: string; detail: string }[] {
  const allowed = textOf(config.PLAINTEXT_ALLOW_HOSTS);
  const isSet = (name: string) => Boolean(config[name]);
  const mayBe = (hosts: readonly (string | undefined)[]) =>
    hosts.every((host) => host !== undefined && mayBePlaintext(host, allowed));
  const fault = (name: string, remedy: string) => ({
    pointer: `#/${name}`,
    detail: `leads to another machine without TLS: ${remedy}, or list its host in PLAINTEXT_ALLOW_HOSTS`,
  });
  return [
    ...databases
      .filter((name) => isSet(name) && !isSecuredPostgres(textOf(config[name])) && !mayBe(postgresHosts(config[name])))
      .map((name) => fault(name, 'append ?sslmode=verify-full')),
    ...(isSet('NATS_URL') && !natsTls.some(isSet) && !mayBe(plainNatsHosts(textOf(config.NATS_URL)))
      ? [fault('NATS_URL', 'use tls://')]
      : []),
    ...(isSet('TEMPORAL_ADDRESS') && !temporalTls.some(isSet) && !mayBe([hostOf(`tcp://${config.TEMPORAL_ADDRESS}`)])
      ? [fault('TEMPORAL_ADDRESS', 'set TEMPORAL_TLS=true')]
      : []),
    ...(textOf(config.OTEL_EXPORTER_OTLP_ENDPOINT).startsWith('http:') &&
    !mayBe([hostOf(textOf(config.OTEL_EXPORTER_OTLP_ENDPOINT))])
      ? [fault('OTEL_EXPORTER_OTLP_ENDPOINT', 'use https://')]
      : []),
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Undefined when the text is no address. */
const hostOf = (address: string): string | undefined => URL.parse(address)?.hostname;

function isSecuredPostgres(address: string): boolean {
  return tlsModeOf(URL.parse(addressesOf(address)[0] ?? ''))?.required === true;
}

/** A path of a Unix socket counts as this machine. */
function postgresHosts(address: unknown): (string | undefined)[] {
  const hosts = addressesOf(textOf(address)).map(hostOf);
  return hosts.map((host) => (host?.toLowerCase().startsWith('%2f') ? 'localhost' : host));
}

/** One `tls://` makes the client use TLS for all servers. */
function plainNatsHosts(text: string): (string | undefined)[] {
  const servers = text.split(',').map((server) => (server.includes('://') ? server.trim() : `nats://${server.trim()}`));
  return servers.some((server) => server.startsWith('tls:')) ? [] : servers.map(hostOf);
}
