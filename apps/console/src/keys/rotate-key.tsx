import { type ApiKey, dataOf, platform } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { RotateDialog } from '../ui/rotate-dialog.tsx';
import { SecretShown } from './secret-shown.tsx';

type RotateKeyProps = { readonly apiKey: ApiKey; readonly open: boolean; readonly onClose: () => void };

/** Makes a key that replaces another, and shows it once. */
export function RotateKey({ apiKey: { id, name }, open, onClose }: RotateKeyProps) {
  const rotate = async (hours: number) => {
    const made = await dataOf(
      platform.POST('/keys/{keyId}/rotate', {
        params: { path: { keyId: id } },
        body: { overlap_seconds: hours * 3_600 },
      }),
    );
    await queries.invalidateQueries(keysQuery);
    return made;
  };
  return (
    <RotateDialog
      open={open}
      onClose={onClose}
      asks={{ title: m.key_rotate_title({ name }), about: m.key_rotate_text() }}
      shows={{ title: m.key_secret_title({ name }), about: m.key_secret_text() }}
      label={m.key_overlap()}
      action={m.key_rotate()}
      rotate={rotate}
    >
      {({ api_key, key }) => <SecretShown apiKey={api_key} scopes={key.scopes} onClose={onClose} />}
    </RotateDialog>
  );
}
