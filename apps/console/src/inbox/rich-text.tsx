import { Fragment } from 'react';
import { OutsideLink } from '../ui/outside-link.tsx';
import { type Mark, type Part, partsOf } from './text-parts.ts';

const tags: Readonly<Record<Mark, 'strong' | 'em' | 's' | 'code'>> = {
  bold: 'strong',
  italic: 'em',
  strike: 's',
  code: 'code',
};

/** A text with WhatsApp's marks, and links that open in another tab. */
export const RichText = ({ text }: { readonly text: string }) => <Parts parts={partsOf(text)} />;

const Parts = ({ parts }: { readonly parts: readonly Part[] }) =>
  // The parts of a text never move.
  parts.map((part, index) => <Fragment key={`${index}`}>{shown(part)}</Fragment>);

function shown(part: Part) {
  if (typeof part === 'string') return part;
  if ('link' in part) {
    return <OutsideLink to={part.link}>{part.label}</OutsideLink>;
  }
  const Tag = tags[part.mark];
  return (
    <Tag>
      <Parts parts={part.parts} />
    </Tag>
  );
}
