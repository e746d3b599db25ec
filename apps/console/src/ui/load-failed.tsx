import { useRouter } from '@tanstack/react-router';
import { mayPass, wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import { Notice } from './page.tsx';

type LoadFailedProps = {
  readonly error: unknown;
  /** Default: loads the route again. */
  readonly retry?: () => unknown;
};

/** Stands where something would be that could not be loaded. */
export function LoadFailed({ error, retry }: LoadFailedProps) {
  const router = useRouter();
  return (
    <Notice title={m.load_failed()} text={wordsOf(error)}>
      {mayPass(error) && <Button onClick={() => void (retry ? retry() : router.invalidate())}>{m.try_again()}</Button>}
    </Notice>
  );
}
