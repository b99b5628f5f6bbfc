/**
 * `npm run lint:patterns`: no regular expression of the product may take more than linear time on any input. Reads every
 * literal, and every `RegExp(…)` of constants, in the folders below, and asks recheck about each. A pattern that is not
 * known before the program runs, or that recheck cannot judge, is a fault too.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// The part in plain JavaScript, the same on every machine.
process.env.RECHECK_BACKEND = 'pure';
const require = createRequire(import.meta.url);
const { checkSync } = createRequire(new URL('../tools/lint/package.json', import.meta.url))('recheck');
const ts = require('typescript');

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['src', 'bin', 'dashboard', 'clients/typescript/src'];
/** Bounded by steps and never by a clock, so that a slow machine gives the same verdict. */
const parameters = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 0 };

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => join(root, folder, name)),
);
const program = ts.createProgram(files, {
  allowJs: true,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noLib: true,
  types: [],
});
const types = program.getTypeChecker();

const faults = [];
const verdicts = new Map();
for (const file of files) visit(program.getSourceFile(file));
for (const fault of faults) console.error(fault);
console.log(`${verdicts.size} regular expressions checked, ${faults.length} faults`);
process.exitCode = faults.length === 0 && verdicts.size > 0 ? 0 : 1;

function visit(node) {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    judge(node, node.text.slice(1, end), node.text.slice(end + 1));
  } else if (isRegExpCall(node)) {
    const [source, flags = ''] = (node.arguments ?? []).map((argument) => constant(argument));
    if (typeof source === 'string' && typeof flags === 'string') judge(node, source, flags);
    else report(node, 'the pattern is not made of constants, so that nothing can be said of it');
  }
  ts.forEachChild(node, visit);
}

function isRegExpCall(node) {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

function judge(node, source, flags) {
  const pattern = `/${source}/${flags}`;
  if (!verdicts.has(pattern)) verdicts.set(pattern, checkSync(source, flags, parameters));
  const { status, complexity, attack, error } = verdicts.get(pattern);
  if (status === 'vulnerable')
    report(node, `${pattern} takes ${complexity.summary} time, for example on ${attack.pattern}`);
  else if (status !== 'safe') report(node, `${pattern}: recheck gives no verdict (${error.kind})`);
}

/** The text or number that an expression of constants stands for, across modules; undefined for any other. */
function constant(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => [constant(expression), literal.text]);
    return parts.some(([value]) => value === undefined) ? undefined : node.head.text + parts.flat().join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [constant(node.left), constant(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return ts.isIdentifier(node) ? constantOf(types.getSymbolAtLocation(node)) : undefined;
}

function constantOf(symbol) {
  if (symbol === undefined) return undefined;
  const { valueDeclaration: declaration } =
    symbol.flags & ts.SymbolFlags.Alias ? types.getAliasedSymbol(symbol) : symbol;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  const isConst = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  return isConst && declaration.initializer ? constant(declaration.initializer) : undefined;
}

function report(node, fault) {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  faults.push(`${relative(root, file.fileName)}:${line + 1}: ${fault}`);
}
