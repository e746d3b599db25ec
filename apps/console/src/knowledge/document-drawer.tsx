import { useQuery } from '@tanstack/react-query';
import { m } from '../paraglide/messages.js';
import { Drawer } from '../ui/drawer.tsx';
import { Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import styles from './knowledge.module.css';
import { documentQuery } from './queries.ts';

/** The whole text of a document. */
export function DocumentDrawer({ documentId, onClose }: { documentId: string | undefined; onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...documentQuery(documentId ?? ''), enabled: documentId !== undefined });
  return (
    <Drawer open={documentId !== undefined} onClose={onClose} title={data?.title ?? m.knowledge_document()}>
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
        </>
      )}
    </Drawer>
  );
}
