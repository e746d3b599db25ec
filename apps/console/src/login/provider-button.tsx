import { useMutation } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useEffect } from 'react';
import { wordsOf } from '../api/failure.ts';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import styles from './login.module.css';

type ProviderButtonProps = { readonly label: string; readonly start: () => Promise<{ readonly url: string }> };

/** Leads to the OpenID provider, which leads back. The button is busy until the browser has left. */
export function ProviderButton({ label, start }: ProviderButtonProps) {
  const { mutate, reset, error, isIdle, isError } = useMutation({
    mutationFn: start,
    onSuccess: ({ url }) => location.assign(url),
  });
  // A browser that goes back shows the page as it was left.
  useEffect(() => {
    addEventListener('pageshow', reset);
    return () => removeEventListener('pageshow', reset);
  }, [reset]);
  return (
    <div className={styles.form}>
      {error && <Bad>{wordsOf(error)}</Bad>}
      <Button className={styles.provider} busy={!isIdle && !isError} onClick={() => mutate()}>
        <LogIn size={14} aria-hidden />
        {label}
      </Button>
    </div>
  );
}
