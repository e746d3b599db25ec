/** What a page may name. */
export type Known = {
  /** Whether a file or folder exists, by its path from the page. */
  exists(path: string): boolean;
  /** The same by its path from the root of the repository. */
  existsInRepository(path: string): boolean;
  /** Whether the page at this path, from the page, has the anchor. An empty path is the page itself. */
  hasAnchor(path: string, anchor: string): boolean;
};

const repository = /^https:\/\/github\.com\/mostrador\/mostrador\/(?:blob|tree)\/main\/([^#]+)/;
const withoutFences = (text: string): string => text.replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '');
const withoutCode = (text: string): string => withoutFences(text).replaceAll(/`[^`\n]*`/g, '');

/** What a page in Markdown names and does not exist: links, their anchors, images, and paths of the repository in code. */
export function deadLinks(text: string, known: Known): string[] {
  const prose = withoutCode(text);
  const links = [...prose.matchAll(/\]\(([^)\s]+)/g), ...prose.matchAll(/<(?:img|a)[^>]+(?:src|href)="([^"]+)"/g)];
  const dead = links.flatMap(([, link = '']) => {
    const [, ours] = repository.exec(link) ?? [];
    if (ours !== undefined) return known.existsInRepository(ours) ? [] : [ours];
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    if (path !== '' && !known.exists(path)) return [path];
    const isRead = path === '' || path.endsWith('.md');
    return anchor === undefined || !isRead || known.hasAnchor(path, anchor) ? [] : [link];
  });
  return [...dead, ...pathsIn(text).filter((path) => !known.existsInRepository(path))];
}

const folders = 'apps|bench|docs|infra|packages|patches|services|tests|tools|workflows';
const path = new RegExp(`\`((?:${folders})/[\\w.{},*@/-]+)\``, 'g');

/** The paths of the repository that stand in code. A star ends one: the folder before it must exist. */
export const pathsIn = (text: string): string[] =>
  [...withoutFences(text).matchAll(path)]
    .flatMap(([, found = '']) => expanded(found))
    .map((each) => each.replace(/\/?[^/]*\*.*$/, '').replace(/\/$/, ''))
    .filter((each) => each.includes('/'));

/** `a/{b,c}/d` as `a/b/d` and `a/c/d`. */
function expanded(text: string): string[] {
  const [whole, choices] = /\{([^{}]*)\}/.exec(text) ?? [];
  if (whole === undefined || choices === undefined) return [text];
  return choices.split(',').flatMap((choice) => expanded(text.replace(whole, choice)));
}

/** The anchors of the headings of a page, as git hosts make them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let unused = anchor;
    for (let n = 1; anchors.has(unused); n++) unused = `${anchor}-${n}`;
    anchors.add(unused);
  }
  return anchors;
}
