import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemathesis } from './provide-tools.js';
import { runProgram } from './run-program.js';

export interface SchemathesisResult {
  code: number | null;
  output: string;
  /** How many answers of each kind the operations gave: `GET /v1/pets 200`. */
  answers: Record<string, number>;
}

interface ReportLine {
  ScenarioFinished?: { recorder: { interactions: Record<string, Interaction> } };
}
interface Interaction {
  request: { method: string; uri: string };
  response: { status_code: number } | null;
}

/** Runs schemathesis with schemathesis.toml and schemathesis_hooks.py on a schema; its report is put in the folder. */
export async function runSchemathesis(
  schema: string,
  { url, secret, folder, args = [] }: { url: string; secret: string; folder: string; args?: string[] },
): Promise<SchemathesisResult> {
  const report = join(folder, 'report.ndjson');
  const { code, output } = await runProgram(
    await schemathesis(),
    [
      `--config-file=${join(__dirname, 'schemathesis.toml')}`,
      'run',
      schema,
      `--url=${url}`,
      `--header=Authorization: Bearer ${secret}`,
      '--checks=all',
      '--report=ndjson',
      `--report-ndjson-path=${report}`,
      '--no-color',
      ...args,
    ],
    {
      cwd: folder,
      env: {
        PYTHONPATH: __dirname,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      },
    },
  );
  return { code, output, answers: countAnswers(await readFile(report, 'utf8').catch(() => '')) };
}

function countAnswers(report: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of report.split('\n').filter((text) => text !== '')) {
    const { ScenarioFinished } = JSON.parse(line) as ReportLine;
    for (const { request, response } of Object.values(ScenarioFinished?.recorder.interactions ?? {})) {
      const path = new URL(request.uri).pathname.replace(/^\/v1\/pets\/.*$/, '/v1/pets/{petId}');
      const what = `${request.method} ${path} ${response?.status_code ?? 'no answer'}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
  }
  return counts;
}
