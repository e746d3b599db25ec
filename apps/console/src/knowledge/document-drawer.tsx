import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { EditDocument } from './document-form.tsx';
import styles from './knowledge.module.css';
import { documentQuery } from './queries.ts';

type DocumentDrawerProps = {
  readonly documentId: string | undefined;
  readonly mayChange: boolean;
  readonly onClose: () => void;
};

/** The whole text of a document. */
export function DocumentDrawer({ documentId, mayChange, onClose }: DocumentDrawerProps) {
  const [editing, setEditing] = useState(false);
  const { data, error, refetch } = useQuery({ ...documentQuery(documentId ?? ''), enabled: documentId !== undefined });
  // One without a name comes from a version that does not tell it.
  const named = data?.name === undefined ? undefined : { ...data, name: data.name };
  const edit = mayChange && named && (
    <Button onClick={() => setEditing(true)}>
      <Pencil size={14} aria-hidden />
      {m.knowledge_edit()}
    </Button>
  );
  return (
    <Drawer
      open={documentId !== undefined}
      onClose={onClose}
      title={data?.title ?? m.knowledge_document()}
      actions={edit}
    >
      {error && !data && <LoadFailed error={error} retry={refetch} />}
      {data && (
        <>
          <Facts
            facts={[
              [m.knowledge_state(), data.is_active ? m.knowledge_active() : m.knowledge_inactive()],
              [m.knowledge_created(), <Moment key="at" at={data.created_at} />],
            ]}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard, too */}
          <pre className={styles.content} tabIndex={0}>
            {data.content}
          </pre>
          {named && <EditDocument document={named} open={editing} onClose={() => setEditing(false)} />}
        </>
      )}
    </Drawer>
  );
}
