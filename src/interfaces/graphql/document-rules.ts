import {
  FieldsOnCorrectTypeRule,
  GraphQLError,
  isInterfaceType,
  isObjectType,
  Kind,
  KnownArgumentNamesRule,
  MaxIntrospectionDepthRule,
  NoUndefinedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  type ASTNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { valuesOfCorrectTypeRule } from './input-faults.js';
import { overlappingFieldsRule } from './overlapping-fields.js';

/** Returns a remedy for an error that a rule reports. `context` is at the place in the document where it does. */
type Advise = (context: ValidationContext, error: GraphQLError) => string | undefined;

const MOST_NAMED = 25;

/** The rules of graphql-js, with our own in place of some, and with remedies for faults that its messages only name. */
export const DOCUMENT_RULES: readonly ValidationRule[] = specifiedRules.map((rule) => {
  switch (rule) {
    case OverlappingFieldsCanBeMergedRule:
      return overlappingFieldsRule;
    case ValuesOfCorrectTypeRule:
      return valuesOfCorrectTypeRule;
    case FieldsOnCorrectTypeRule:
      return advised(rule, (context) => {
        const type = context.getParentType();
        const fields = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
        return listed('It has', fields);
      });
    case KnownArgumentNamesRule:
      return advised(rule, (context) => {
        const { args = [] } = context.getDirective() ?? context.getFieldDef() ?? {};
        return listed(
          'It takes',
          args.map(({ name }) => name),
        );
      });
    case VariablesInAllowedPositionRule:
      return advised(rule, (context, { nodes: [declaration, use] = [] }) =>
        declaration?.kind === Kind.VARIABLE_DEFINITION
          ? declareAs(context, declaration.variable.name.value, use)
          : undefined,
      );
    case NoUndefinedVariablesRule:
      return advised(rule, (context, { nodes: [use] = [] }) =>
        use?.kind === Kind.VARIABLE ? declareAs(context, use.name.value, use) : undefined,
      );
    case MaxIntrospectionDepthRule:
      return advised(
        rule,
        () => 'Lists of fields or types are nested too deeply: send the introspection query of your tool.',
      );
    default:
      return rule;
  }
});

/** Adds the remedy to the errors of a rule. A message that already asks "Did you mean …?" gets none. */
function advised(rule: ValidationRule, advise: Advise): ValidationRule {
  return (context) => {
    const reportError = (error: GraphQLError) => {
      const advice = error.message.endsWith('?') ? undefined : advise(context, error);
      if (advice === undefined) context.reportError(error);
      else {
        const sentence = error.message.endsWith('.') ? error.message : `${error.message}.`;
        context.reportError(new GraphQLError(`${sentence} ${advice}`, { nodes: error.nodes ?? [] }));
      }
    };
    return rule(Object.create(context, { reportError: { value: reportError } }) as ValidationContext);
  };
}

function listed(verb: string, names: readonly string[]): string {
  if (names.length === 0) return `${verb} none.`;
  return `${verb} ${names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'].join(', ') : names.join(', ')}.`;
}

/** Names the type that the place of a variable expects. */
function declareAs(context: ValidationContext, name: string, use: ASTNode | undefined): string | undefined {
  for (const definition of context.getDocument().definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const found = context.getRecursiveVariableUsages(definition).find(({ node }) => node === use);
    if (found?.type != null)
      return `Declare it in the parentheses after the operation's name: ($${name}: ${String(found.type)}).`;
  }
  return undefined;
}
