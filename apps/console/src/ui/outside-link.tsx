import type { ReactNode } from 'react';

/** Opens a page that a customer or a channel named, in a tab beside. That page learns nothing of the console. */
export const OutsideLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <a href={to} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
);
