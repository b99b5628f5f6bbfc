import type { Document, YAMLMap } from 'yaml';
import { API_VERSION } from '../../http/versioning/api-version.js';
import type { Deprecation, Operation, Stability } from '../../http/versioning/operation.js';
import type { Operations } from '../../http/versioning/operations.js';
import { dayOf, reasonOf } from '../../http/versioning/removal.js';
import { loadYaml } from './load-yaml.js';

const LEADS: Record<Stability, string> = {
  stable: '',
  beta: '**Beta.** It may still change. Changes are announced 90 days in advance.\n\n',
  experimental: '**Experimental.** It may change or be removed at any time.\n\n',
};
const LEAD = /^\*\*(?:Deprecated|Beta|Experimental)\b/;

/** Statuses that are sent before the operation is known, so without the headers of a deprecated operation. */
const BEFORE_ANY_OPERATION: ReadonlySet<string> = new Set(['401', '408', '413', '429', '431']);
const ADDED_HEADERS = { Deprecation: 'Deprecation', Sunset: 'Sunset', Link: 'LinkOfDeprecated' };
const REMOVED = '410';

/**
 * Writes the declared stability and deprecation of each operation into an OpenAPI document, and replaces what the
 * document said about them.
 */
export function describeOperations(document: Document, { rest }: Operations): void {
  document.setIn(['info', 'version'], API_VERSION);
  const declared = new Map<unknown, Operation>(Object.entries(rest));
  for (const operation of mapsIn(document.get('paths')).flatMap(mapsIn)) {
    const declaration = declared.get(operation.get('operationId'));
    if (declaration !== undefined) describe(document, operation, declaration);
  }
}

function describe(document: Document, operation: YAMLMap, { stability, deprecation }: Operation): void {
  const leads = LEADS[stability] + (deprecation === undefined ? '' : leadOf(deprecation));
  const paragraphs = String(operation.get('description')).split('\n\n');
  operation.set('description', leads + paragraphs.filter((text) => !LEAD.test(text)).join('\n\n'));
  operation.set('x-stability', stability);
  const responses = operation.get('responses') as YAMLMap;
  if (deprecation === undefined) {
    for (const name of ['deprecated', 'x-deprecated-reason', 'x-sunset']) operation.delete(name);
    responses.delete(REMOVED);
    for (const response of mapsIn(responses)) removeHeaders(response);
  } else {
    operation.set('deprecated', true);
    operation.set('x-deprecated-reason', reasonOf(String(operation.get('operationId')), deprecation));
    operation.set('x-sunset', new Date(deprecation.sunsetMs).toISOString().slice(0, 10));
    responses.set(REMOVED, reference(document, 'responses', 'OperationRemoved'));
    addHeaders(document, responses);
  }
}

function leadOf({ sunsetMs, instead }: Deprecation): string {
  const sunset = new Date(sunsetMs).toISOString().replace('.000', '');
  return (
    `**Deprecated: removed on ${dayOf(sunsetMs)}.** ${instead} From ${sunset} on, every request gets 410 ` +
    '`operation_removed`. Until then, every response of the operation announces the removal in the headers ' +
    '`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.\n\n'
  );
}

/**
 * Adds the headers to every response that the operation itself sends. A shared response is copied into the operation
 * first.
 */
function addHeaders(document: Document, responses: YAMLMap): void {
  for (const { key, value } of responses.items) {
    const status = String(key);
    if (BEFORE_ANY_OPERATION.has(status) || status === REMOVED || !loadYaml().isMap(value)) continue;
    const shared = value.get('$ref');
    const response =
      typeof shared === 'string' ? (document.getIn(shared.split('/').slice(1)) as YAMLMap).clone() : value;
    responses.set(status, response);
    const headers = (response as YAMLMap).get('headers') as YAMLMap;
    for (const [name, component] of Object.entries(ADDED_HEADERS))
      if (!headers.has(name)) headers.set(name, reference(document, 'headers', component));
  }
}

function removeHeaders(response: YAMLMap): void {
  const headers = response.get('headers');
  if (!loadYaml().isMap(headers)) return;
  for (const [name, component] of Object.entries(ADDED_HEADERS)) {
    const header = headers.get(name);
    if (loadYaml().isMap(header) && String(header.get('$ref')).endsWith(`/${component}`))
      headers.delete(name);
  }
}

function reference(document: Document, kind: string, name: string) {
  return document.createNode({ $ref: `#/components/${kind}/${name}` }, { flow: true });
}

function mapsIn(node: unknown): YAMLMap[] {
  return loadYaml().isMap(node)
    ? node.items.map(({ value }) => value).filter((value) => loadYaml().isMap(value))
    : [];
}
