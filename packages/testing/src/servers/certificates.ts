import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Whether `makeCertificates` works on this machine: it needs `openssl`. */
export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

/** Certificate files. The server's certificate is valid for `server.test`, `localhost` and `127.0.0.1`. */
export type Certificates = {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
  /** Another authority, which has signed only the stranger's certificate. */
  readonly otherCa: string;
  readonly stranger: { readonly cert: string; readonly key: string };
  remove(): void;
};

/** Creates the certificates in a temporary folder. By default they are valid for 30 days: operators are warned of those that end within 14. */
export function makeCertificates({ days = 30 }: { days?: number } = {}): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-certificates-'));
  const make = (name: string, ...options: string[]) => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    const args = ['req', '-x509', ...newKey, '-out', cert, '-days', String(days), '-subj', `/CN=${name}`, ...options];
    execFileSync('openssl', args, { stdio: 'pipe' });
    return { cert, key };
  };
  const ca = make('authority');
  const other = make('other');
  const signedBy = ({ cert, key }: { cert: string; key: string }) => [
    ...['-CA', cert, '-CAkey', key, '-addext', 'basicConstraints=critical,CA:FALSE'],
  ];
  const signed = signedBy(ca);
  return {
    ca: ca.cert,
    server: make('server', ...signed, '-addext', 'subjectAltName=DNS:server.test,DNS:localhost,IP:127.0.0.1'),
    client: make('client', ...signed),
    otherCa: other.cert,
    stranger: make('stranger', ...signedBy(other)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes this process trust the authority in the file, as `NODE_EXTRA_CA_CERTS` does. Returns how to end that. */
export function trustAuthority(ca: string): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(ca, 'utf8')]);
  return () => setDefaultCACertificates(before);
}
