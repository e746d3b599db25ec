import styles from './skeleton.module.css';

/** Stands for a text that is loading. It appears only after 150 ms, because most answers arrive before. */
export const Skeleton = ({ width }: { width: 'short' | 'long' | 'full' }) => (
  <span className={styles.skeleton} data-width={width} aria-hidden />
);
