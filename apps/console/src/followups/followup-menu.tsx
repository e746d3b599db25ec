import { CircleSlash, Ellipsis, Pencil } from 'lucide-react';
import { useState } from 'react';
import { dataOf, type Followup, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { actLater } from '../ui/act-later.ts';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { say, sayProblem } from '../ui/toasts.tsx';
import { hide, show } from './cancelling.ts';
import { EditFollowup, wordsOfFollowup } from './followup-form.tsx';
import { mayWait } from './followup-state.ts';
import { followupsChanged } from './queries.ts';

/** A cancelled one cannot be brought back, so the request waits as long as the person may take it back. */
function cancel(followup: Followup): void {
  const params = { path: { followupId: followup.id } };
  const restore = () => show(followup.id);
  const onFailure = (error: unknown) => sayProblem(wordsOfFollowup(error));
  const act = async () => {
    try {
      // The page may be about to close.
      await dataOf(platform.DELETE('/followups/scheduled/{followupId}', { params, keepalive: true }));
    } finally {
      await followupsChanged();
    }
    restore();
  };
  hide(followup.id);
  if (mayWait(followup, Date.now())) {
    actLater({ title: m.followups_was_cancelled(), act, restore, onFailure });
    return;
  }
  act().then(
    () => say(m.followups_was_cancelled()),
    (error: unknown) => {
      restore();
      onFailure(error);
    },
  );
}

/** What can be done with one that waits. */
export function FollowupMenu({ followup }: { followup: Followup }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <Button kind="bare" aria-label={m.followups_actions({ text: followup.message.slice(0, 40) })}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={<Pencil size={14} />} onClick={() => setEditing(true)}>
          {m.followups_edit_action()}
        </MenuItem>
        <MenuItem icon={<CircleSlash size={14} />} danger onClick={() => cancel(followup)}>
          {m.followups_cancel_action()}
        </MenuItem>
      </Menu>
      <EditFollowup followup={followup} open={isEditing} onClose={() => setEditing(false)} />
    </>
  );
}
