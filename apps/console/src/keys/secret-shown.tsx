import type { Scope } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { CopyBox } from '../ui/copy.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { curlOf } from './scopes.ts';

type SecretShownProps = {
  readonly apiKey: string;
  readonly scopes: readonly Scope[];
  readonly onClose: () => void;
};

/** The only place where a key is shown, with a call to try it. */
export function SecretShown({ apiKey, scopes, onClose }: SecretShownProps) {
  const curl = curlOf(location.origin, apiKey, scopes);
  return (
    <ShownOnce label={m.key_secret()} copy={m.key_secret_copy()} secret={apiKey} done={m.key_saved()} onClose={onClose}>
      {curl && <CopyBox label={m.key_try()} action={m.key_try_copy()} text={curl} />}
    </ShownOnce>
  );
}
