import { Marked } from 'marked';
import { expect, test } from 'vitest';
import { type Guide, guides, guideText } from './guides.ts';

/**
 * What is the same in every language, in the order of the text: the levels of headings, the blocks and their sizes, and
 * code blocks. Prose differs.
 */
function shapeOf(markdown: string): string[] {
  const shape: string[] = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'heading') shape.push(`heading ${token.depth}`);
    if (token.type === 'paragraph') shape.push('paragraph');
    if (token.type === 'list') shape.push(`list of ${token.items.length}`);
    if (token.type === 'table') shape.push(`table of ${token.rows.length} rows and ${token.header.length} columns`);
    if (token.type === 'code') shape.push(`code ${token.lang} ${token.text}`);
  });
  return shape;
}

/** Code and links in each block. Inside of a block the order of words may differ between languages. */
function namesIn(markdown: string): string[] {
  const blocks = new Marked().lexer(markdown).filter(({ type }) => type !== 'space' && type !== 'code');
  return blocks.map((block) => {
    const names: string[] = [];
    new Marked().walkTokens([block], (token) => {
      if (token.type === 'codespan') names.push(`\`${token.text}\``);
      if (token.type === 'link') names.push(token.href.replace(/^(\.\.\/)+/, '../'));
    });
    return names.sort().join(' ');
  });
}

test.each(Object.keys(guides) as Guide[])(
  'the pt-BR guide %s has the headings, blocks, code and links of the English one: who changes one changes both',
  (guide) => {
    const [english, portuguese] = [guideText(guide, 'en'), guideText(guide, 'pt-BR')];
    expect(shapeOf(portuguese)).toEqual(shapeOf(english));
    expect(namesIn(portuguese)).toEqual(namesIn(english));
  },
);
