import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './toasts.module.css';
import { manager, startShowing } from './toasts.tsx';

/** The corner in which it is said. */
export function ShownToasts() {
  // After that of the provider, which listens by then.
  useEffect(startShowing, []);
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={m.ui_notifications()}>
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Content className={styles.content}>
        <Toast.Title className={styles.title} />
        <Toast.Action render={<Button className={styles.undo} />} />
        <Toast.Close render={<Button kind="bare" />} aria-label={m.close()}>
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
