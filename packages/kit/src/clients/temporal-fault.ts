import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NoAnswer, NotReady } from '../process/health.ts';
import type { TemporalAddress } from './temporal-address.ts';
import { type Greeting, greet } from './temporal-handshake.ts';

/** What is wrong, then what to do. `lasting`: with these settings no call can succeed, whether or not Temporal is up. */
type Finding = { readonly lasting: boolean; readonly text: string };
const lasting = (text: string): Finding => ({ lasting: true, text });
const forNow = (text: string): Finding => ({ lasting: false, text });

const notTemporal = lasting('What answers at TEMPORAL_ADDRESS is not Temporal: correct its host and port.');
const speaksTls = lasting(
  'Temporal requires TLS: set TEMPORAL_TLS=true, and TEMPORAL_TLS_CA when its certificate is signed by a CA of your own.',
);
const speaksNoTls = lasting(
  'Temporal has no TLS at TEMPORAL_ADDRESS: correct the address, or remove TEMPORAL_API_KEY and the variables TEMPORAL_TLS….',
);
const otherName = lasting(
  "Temporal's certificate is for another name: set TEMPORAL_TLS_SERVER_NAME to a name in it, or correct TEMPORAL_ADDRESS.",
);
const notValidNow = lasting("Temporal's certificate is not valid now: renew it, and compare the clocks of both hosts.");
const notTrusted = lasting(
  "Temporal's certificate is signed by a CA that this process does not trust: set TEMPORAL_TLS_CA to the file of that CA.",
);
const certificateMissing = lasting(
  'Temporal requires a client certificate: set TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY.',
);
const certificateRejected = lasting(
  'Temporal rejects the client certificate: TEMPORAL_TLS_CERT must be valid now, and signed by a CA that Temporal trusts.',
);
const handshakeFails = (code: string) =>
  lasting(`The TLS handshake with Temporal fails (${code}): compare TEMPORAL_TLS_… with the settings of Temporal.`);
const doesNotAnswer = forNow('Temporal does not answer: check that it runs at TEMPORAL_ADDRESS. Its work waits.');
const cannotServe = forNow('Temporal is up, but does not serve calls now: see its log. Its work waits.');
const closesAfterHandshake = forNow(
  'Temporal ends the connection after the TLS handshake: it is down behind its proxy, or the proxy rejects TEMPORAL_TLS_CERT. Its work waits.',
);

/** How long a look may take. A check waits less for it. */
const lookLimitMs = 5_000;
/** Alerts about a client certificate that the server does not accept (RFC 8446, section 6.2). */
const certificateAlerts = new Set([42, 43, 44, 45, 46, 48, 49]);
/** With a certificate that is missing: TLS 1.3 has an alert for it, TLS 1.2 has `handshake_failure`. */
const missingAlerts = new Set([...certificateAlerts, 40, 116]);

/**
 * Looks at the connection when a call fails: the error of a gRPC client does not tell a server that is down from settings
 * that can never work. Looks do not overlap.
 *
 * @returns `NotReady` when the settings are wrong, `NoAnswer` when Temporal is down for now. A look that takes longer than
 * `waitMs` counts for the next call; until then the result of the previous one does.
 */
export function temporalFaults(
  address: TemporalAddress,
): (cause: unknown, waitMs: number) => Promise<NotReady | NoAnswer> {
  let looking: Promise<void> | undefined;
  let last = doesNotAnswer;
  return async (cause, waitMs) => {
    looking ??= look(address, lookLimitMs).then((finding) => {
      last = finding;
      looking = undefined;
    });
    await Promise.race([looking, pause(waitMs, undefined, { ref: false })]);
    return last.lasting ? new NotReady(last.text, { cause }) : new NoAnswer(last.text, { cause });
  };
}

async function look({ address, tls }: TemporalAddress, limitMs: number): Promise<Finding> {
  const greeting = await greet(address, tls, limitMs);
  if (tls) return ofTls(greeting, tls, () => greet(address, undefined, limitMs));
  if (greeting.kind === 'http2') return cannotServe;
  if (greeting.kind === 'silent') return doesNotAnswer;
  // A server with TLS closes the connection, or answers in TLS or HTTP/1. So does a proxy whose server is down.
  const secured = await greet(address, {}, limitMs);
  if (!['silent', 'closed', 'no_tls'].includes(secured.kind) || (secured.kind === 'closed' && secured.secured)) {
    return speaksTls;
  }
  return greeting.kind === 'closed' ? doesNotAnswer : notTemporal;
}

async function ofTls(
  greeting: Greeting,
  tls: NonNullable<TemporalAddress['tls']>,
  withoutTls: () => Promise<Greeting>,
): Promise<Finding> {
  switch (greeting.kind) {
    case 'http2':
      return cannotServe;
    case 'foreign':
      return notTemporal;
    case 'no_tls':
      return speaksNoTls;
    case 'failed':
      return handshakeFails(greeting.code);
    case 'alert':
      if (!tls.clientCertPair && missingAlerts.has(greeting.number)) return certificateMissing;
      return certificateAlerts.has(greeting.number) ? certificateRejected : handshakeFails(`alert ${greeting.number}`);
    case 'untrusted':
      if (greeting.code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherName;
      return ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(greeting.code) ? notValidNow : notTrusted;
    case 'closed':
      if (greeting.secured) return hasDoubtfulCertificate(tls) ? certificateRejected : closesAfterHandshake;
      return ['http2', 'foreign'].includes((await withoutTls()).kind) ? speaksNoTls : doesNotAnswer;
    case 'silent':
      return doesNotAnswer;
  }
}

/**
 * Some proxies reject a client certificate by closing the connection without an alert, which looks as if the server
 * behind them were down. The certificate decides: one that is not valid now, or of another CA than the server's, is the
 * likely reason.
 */
function hasDoubtfulCertificate({
  clientCertPair: own,
  serverRootCACertificate: ca,
}: NonNullable<TemporalAddress['tls']>) {
  if (!own) return false;
  const chain = certificatesIn(own.crt);
  const [leaf] = chain;
  if (!leaf) return false;
  const now = new Date();
  if (leaf.validFromDate > now || leaf.validToDate < now) return true;
  return ca !== undefined && !certificatesIn(ca).some(({ publicKey }) => chain.some((each) => each.verify(publicKey)));
}

const certificatesIn = (pem: Uint8Array): X509Certificate[] =>
  (
    Buffer.from(pem)
      .toString()
      .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  ).map((text) => new X509Certificate(text));
