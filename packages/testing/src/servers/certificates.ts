import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether certificates can be made here: `openssl` does it. */
export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

/** Files of an authority and of what it signed. The server's certificate is for `server.test` and this machine. */
export type Certificates = {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
  /** Another authority, which signed none of these. */
  readonly otherCa: string;
  remove(): void;
};

/** Makes them in a folder of their own, good for a day. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-certificates-'));
  const make = (name: string, ...options: string[]) => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key];
    const args = ['req', '-x509', ...newKey, '-out', cert, '-days', '1', '-subj', `/CN=${name}`, ...options];
    execFileSync('openssl', args, { stdio: 'pipe' });
    return { cert, key };
  };
  const ca = make('authority');
  const signed = ['-CA', ca.cert, '-CAkey', ca.key, '-addext', 'basicConstraints=critical,CA:FALSE'];
  return {
    ca: ca.cert,
    server: make('server', ...signed, '-addext', 'subjectAltName=DNS:server.test,DNS:localhost,IP:127.0.0.1'),
    client: make('client', ...signed),
    otherCa: make('other').cert,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
