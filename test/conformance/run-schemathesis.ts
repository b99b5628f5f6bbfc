import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemathesis } from './provide-tools.js';
import { runProgram } from '../support/run-program.js';

export interface SchemathesisResult {
  code: number | null;
  output: string;
  /** How many answers of each kind the operations gave: `GET /v1/pets 200`, `Query.pets ok`. */
  answers: Record<string, number>;
}

export interface SchemathesisOptions {
  url: string;
  secret: string;
  /** For its report. */
  folder: string;
  /** Operations that are left out, such as `Mutation.addDomain`. */
  without?: readonly string[];
  /** For schemathesis_hooks.py. */
  env?: Record<string, string>;
}

interface ReportLine {
  ScenarioFinished?: { recorder: { label: string; interactions?: Record<string, Interaction> } };
}
interface Interaction {
  request: { method: string; uri: string };
  response: { status_code: number; content?: { $base64: string } } | null;
}

/** Runs schemathesis with schemathesis.toml and schemathesis_hooks.py on a schema; its report is put in the folder. */
export async function runSchemathesis(
  schema: string,
  { url, secret, folder, without = [], env = {} }: SchemathesisOptions,
): Promise<SchemathesisResult> {
  const report = join(folder, 'report.ndjson');
  const [program, ...first] = await schemathesis();
  const { code, output } = await runProgram(
    program,
    [
      ...first,
      `--config-file=${join(__dirname, 'schemathesis.toml')}`,
      'run',
      schema,
      `--url=${url}`,
      `--header=Authorization: Bearer ${secret}`,
      '--checks=all',
      ...without.map((operation) => `--exclude-name=${operation}`),
      '--report=ndjson',
      `--report-ndjson-path=${report}`,
      '--no-color',
    ],
    {
      cwd: folder,
      env: {
        PYTHONPATH: __dirname,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
        ...env,
      },
    },
  );
  return { code, output, answers: countAnswers(await readFile(report, 'utf8').catch(() => '')) };
}

function countAnswers(report: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of report.split('\n').filter((text) => text !== '')) {
    const { ScenarioFinished } = JSON.parse(line) as ReportLine;
    if (ScenarioFinished === undefined) continue;
    const { label, interactions = {} } = ScenarioFinished.recorder;
    for (const interaction of Object.values(interactions)) {
      const what = nameOf(label, interaction);
      counts[what] = (counts[what] ?? 0) + 1;
    }
  }
  return counts;
}

function nameOf(label: string, { request, response }: Interaction): string {
  const { pathname } = new URL(request.uri);
  if (pathname === '/graphql') return `${label} ${outcomeOf(response)}`;
  const path = pathname.replace(/^\/v1\/pets\/.*$/, '/v1/pets/{petId}');
  return `${request.method} ${path} ${response?.status_code ?? 'no answer'}`;
}

/** Of a GraphQL answer: the code of its first error, or `ok`. */
function outcomeOf(response: Interaction['response']): string {
  if (response?.content === undefined) return 'no answer';
  const body = JSON.parse(Buffer.from(response.content.$base64, 'base64').toString()) as {
    code?: string;
    errors?: { extensions: { code: string } }[];
  };
  return body.code ?? body.errors?.[0]?.extensions.code ?? 'ok';
}
