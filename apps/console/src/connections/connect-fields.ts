import { faultOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';

/** What the fields of a connection's form have in common: their names, and their faults. */
export function connectFields(missing: ReadonlySet<string>, error: unknown) {
  const field = (name: string, pointer = `#/${name}`) => ({
    name,
    error: missing.has(name) ? m.connections_missing() : faultOf(error, pointer),
  });
  return {
    field,
    /** A member of `secrets` that may be read aloud, such as an id. */
    part: (name: string) => field(name, `#/secrets/${name}`),
    secret: (name: string) => ({
      ...field(name, `#/secrets/${name}`),
      type: 'password',
      autoComplete: 'new-password',
    }),
  };
}
