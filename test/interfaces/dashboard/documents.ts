import { dirname, join, relative } from 'node:path';
import { parse, type DocumentNode } from 'graphql';
import ts from 'typescript';

/** A gql`…` of the dashboard, and what it says that it answers and takes. */
export interface FoundDocument {
  /** Where it stands: `dashboard/pages/…:12`. */
  place: string;
  /** To the byte, as gql makes it. */
  text: string;
  document: DocumentNode;
  resultType: ts.Type;
  /** Undefined where it takes none. */
  variablesType: ts.Type | undefined;
}

const ROOT = join(__dirname, '../../..');

export function findDocuments(): { checker: ts.TypeChecker; documents: FoundDocument[] } {
  const configPath = join(ROOT, 'dashboard', 'tsconfig.json');
  const { config } = ts.readConfigFile(configPath, (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(configPath));
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const documents = program
    .getSourceFiles()
    .filter(({ fileName }) => fileNames.includes(fileName))
    .flatMap((file) => taggedIn(file).map((node) => readDocument(node, file, checker)));
  return { checker, documents };
}

function taggedIn(node: ts.Node): ts.TaggedTemplateExpression[] {
  const own = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'gql' ? [node] : [];
  const found = [...own];
  ts.forEachChild(node, (child) => void found.push(...taggedIn(child)));
  return found;
}

function readDocument(
  node: ts.TaggedTemplateExpression,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): FoundDocument {
  const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const place = `${relative(ROOT, file.fileName)}:${line}`;
  const [result, variables] = node.typeArguments ?? [];
  if (result === undefined) throw new Error(`${place} does not say what it answers: gql<Result, Variables>`);
  const text = textOf(node.template, checker).trim();
  return {
    place,
    text,
    document: parse(text),
    resultType: checker.getTypeFromTypeNode(result),
    variablesType: variables && checker.getTypeFromTypeNode(variables),
  };
}

/** What is put in is a constant: a fragment. */
function textOf(node: ts.Expression, checker: ts.TypeChecker): string {
  if (ts.isNoSubstitutionTemplateLiteral(node) || ts.isStringLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, span) => text + textOf(span.expression, checker) + span.literal.text,
      node.head.text,
    );
  const declaration = declarationOf(node, checker);
  if (declaration === undefined || !ts.isVariableDeclaration(declaration) || !declaration.initializer)
    throw new Error(`${node.getText()} is no constant`);
  return textOf(declaration.initializer, checker);
}

function declarationOf(node: ts.Expression, checker: ts.TypeChecker): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol === undefined) return undefined;
  const isImported = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return (isImported ? checker.getAliasedSymbol(symbol) : symbol).valueDeclaration;
}
