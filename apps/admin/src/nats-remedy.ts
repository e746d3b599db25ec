/** What to do about a connection to NATS that fails, by the text of its error. */
export function natsRemedy(message: string): string {
  if (/expired|not yet valid/i.test(message))
    return 'renew the certificate of NATS, reload it, and compare the clocks of both hosts';
  if (/certificate|issuer|altname/i.test(message))
    return 'compare NATS_TLS_CA with the CA of its certificate, and the host with the names in it';
  if (/authorization|authentication/i.test(message))
    return 'correct the user and the password in NATS_URL, or give nats-server nats.env';
  return 'start NATS, or correct the address and NATS_TLS_CA';
}
