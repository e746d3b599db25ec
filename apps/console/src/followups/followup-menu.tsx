import { CircleSlash, Ellipsis, Pencil } from 'lucide-react';
import { useState } from 'react';
import { dataOf, type Followup, platform } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { doLater } from '../ui/later.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { say, sayProblem, sayWithUndo } from '../ui/toasts.tsx';
import { hide, show } from './cancelling.ts';
import { EditFollowup, wordsOfFollowup } from './followup-form.tsx';
import { mayWait } from './followup-state.ts';
import { followupsChanged } from './queries.ts';

const undoMs = 10_000;

/** A cancelled one cannot be brought back, so the request waits as long as the person may take it back. */
function cancel(followup: Followup): void {
  const send = async () => {
    try {
      await dataOf(
        platform.DELETE('/followups/scheduled/{followupId}', {
          params: { path: { followupId: followup.id } },
          keepalive: true,
        }),
      );
      return true;
    } catch (error) {
      sayProblem(wordsOfFollowup(error));
      return false;
    } finally {
      await followupsChanged();
      show(followup.id);
    }
  };
  hide(followup.id);
  if (!mayWait(followup, Date.now())) {
    void send().then((done) => done && say(m.followups_was_cancelled()));
    return;
  }
  const takeBack = doLater(() => {
    close();
    void send();
  }, undoMs);
  const close = sayWithUndo(m.followups_was_cancelled(), () => {
    takeBack();
    show(followup.id);
  });
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
