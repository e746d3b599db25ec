import type { ComponentProps } from 'react';
import styles from './form.module.css';

/** The form of a dialog. The browser's own bubbles stay away: each field says its fault. */
export const Form = (props: ComponentProps<'form'>) => <form noValidate {...props} className={styles.form} />;
