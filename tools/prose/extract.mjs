/** Finds the prose of a file: pages, descriptions, comments, and strings that people read. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';

const require = createRequire(import.meta.url);
const ts = require('typescript');
const { isScalar, parseAllDocuments, visit } = require('yaml');

/** Replaces each character of what only programs read, so that positions stay and no two words become neighbors. */
const FILLER = '\u2022';

/** What only programs read: code, paths, identifiers, options, addresses, placeholders. */
const NOT_PROSE = [
  /`[^`\n]*`/g,
  /\{@link[^}]*\}/g,
  /@(?:param|throws|returns|type|typedef|template|see)\b(?: \{[^}\n]*\})?(?: \[?[\w.]+\]?(?= ))?/g,
  /eslint-disable[^\n]*?(?=--|\n|$)/g,
  /<\/?[a-zA-Z][^<>\n]*>/g,
  /\$\{[^}\n]*\}|\$\w+|%[.\d]*[a-z]\b/g,
  /\\u[\da-fA-F]{4}|\\[nrt]/g,
  /\b[a-z]+:\/\/\S+/gi,
  /\S*[_/\\@=#~<>|{}[\]+]\S*/g,
  /(?<![\w-])--?[a-z][\w-]*/g,
  /\S*\d\S*/g,
  /\b\w+(?:[.:]\w+)+\b/g,
  /\b\w*(?:[a-z][A-Z]+\w*)\b/g,
  /\B\.[a-z]\w*/g,
];

/**
 * @param {string} file its name decides how it is read
 * @param {string} content
 * @param {{ strings: boolean }} options whether strings of code are prose, beside the titles of tests
 * @returns {{ at: number, text: string }[]} pieces, each with its offset in the file
 */
export function proseOf(file, content, { strings }) {
  const ranges = rangesOf(file, content, strings);
  return ranges.map(([from, to]) => ({ at: from, text: mask(content.slice(from, to)) }));
}

function mask(text) {
  return NOT_PROSE.reduce(
    (masked, pattern) => masked.replace(pattern, (code) => code.replace(/\S/g, FILLER)),
    text,
  );
}

function rangesOf(file, content, strings) {
  switch (extname(file)) {
    case '.md':
      return markdown(content);
    case '.ts':
    case '.tsx':
    case '.js':
    case '.mjs':
    case '.cjs':
      return code(file, content, strings);
    case '.json':
      return groups(content, /"(?:title|description)": "((?:[^"\\]|\\.)*)"/g);
    case '.graphql':
      return groups(content, /"""([\s\S]*?)"""|(?<!")"([^"\n]+)"(?!")/g);
    case '.yaml':
    case '.yml':
      return [...comments(content), ...descriptions(content)];
    default:
      return [...comments(content), ...groups(content, /\becho ['"]([^'"\n]*)['"]/g)];
  }
}

/** The range of the first group that took part in each match. */
function groups(content, pattern) {
  return Array.from(content.matchAll(pattern), (match) => {
    const found = match.slice(1).find((group) => group !== undefined);
    const from = match.index + match[0].indexOf(found);
    return [from, from + found.length];
  });
}

/** Comments on neighboring lines are one piece. */
function comments(content) {
  return groups(content, /((?:(?:^|(?<=[^\n]))[ \t]*#(?!!)[^\n]*\n?)+)/gm);
}

/** Paragraphs and headings, without code, comments and the targets of links. */
function markdown(content) {
  const gaps = /^( *)(`{3,})[\s\S]*?^\1\2 *$|<!--[\s\S]*?-->|\n{2,}/gm;
  const ranges = [];
  let from = 0;
  for (const { 0: gap, index } of content.matchAll(gaps)) {
    ranges.push([from, index]);
    from = index + gap.length;
  }
  return [...ranges, [from, content.length]];
}

function descriptions(content) {
  const ranges = [];
  for (const document of parseAllDocuments(content, { logLevel: 'silent' }))
    visit(document, {
      Pair(_key, { key, value }) {
        if (isScalar(key) && isScalar(value) && /^(?:description|summary|title)$/.test(key.value))
          ranges.push([value.range[0], value.range[1]]);
      },
    });
  return ranges;
}

/** Comments, strings of more than one word, text between tags, and titles of tests. */
function code(file, content, strings) {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const ranges = [];
  const visitTokens = (node) => {
    const children = node.getChildren(source).filter(({ kind }) => !isJsDoc(kind));
    for (const child of children) visitTokens(child);
    if (children.length > 0) return;
    const start = node.getStart(source);
    if (node.kind === ts.SyntaxKind.JsxText) ranges.push([node.getFullStart(), node.end]);
    else if (start > node.getFullStart()) ranges.push([node.getFullStart(), start]);
    if (isText(node) && (strings || isTitle(node))) ranges.push([start, node.end]);
  };
  visitTokens(source);
  return ranges.filter(([from, to]) => /\S/.test(content.slice(from, to)));
}

function isJsDoc(kind) {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}

function isText(node) {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node))
    return false;
  return /\p{L}+ +\p{L}+/u.test(node.text) && !isTagged(node);
}

/** Such as gql`…`: that is code in another language. */
function isTagged(node) {
  const template = ts.isTemplateSpan(node.parent) ? node.parent.parent : node.parent;
  return (
    ts.isTaggedTemplateExpression(template) || ts.isTaggedTemplateExpression(template.parent ?? template)
  );
}

/** The first argument of describe, it or test, or of what their `each` returns. */
function isTitle(node) {
  const call = ts.findAncestor(node, ts.isCallExpression);
  if (call === undefined || !/^(?:describe|it|test)\b/.test(call.expression.getText())) return false;
  const [title] = call.arguments;
  return (
    title !== undefined &&
    !ts.isArrayLiteralExpression(title) &&
    title.pos <= node.pos &&
    node.end <= title.end
  );
}
