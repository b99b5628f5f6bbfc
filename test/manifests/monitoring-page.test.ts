import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { samplesOf } from '../observability/metrics/exposition.js';
import { startGateway } from '../support/gateway.js';
import { alertRules } from '../support/monitoring-files.js';

const PAGE = readFileSync(join(__dirname, '../../docs/monitoring.md'), 'utf8');
const ADMIN_API_KEY = 'the-admin-key-of-this-test';

/** The cells of the rows whose first cell is code, below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const codeIn = (cell = '') => Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);

describe('docs/monitoring.md', () => {
  test('describes every metric there is, and no other', async () => {
    const gateway = await startGateway({ env: { ADMIN_API_KEY } });
    try {
      const { secret } = await gateway.keyOn('free');
      await gateway.request('/v1/pets', { key: secret });
      const exposed = await (await gateway.request('/metrics', { key: ADMIN_API_KEY })).text();
      const types = Array.from(exposed.matchAll(/^# TYPE pets_gateway_(\S+) (\S+)$/gm), ([, name, type]) => [
        name,
        type,
      ]);
      const rows = rowsBelow('The metrics');
      expect(rows.map(([name, type]) => [codeIn(name)[0], type]).toSorted()).toEqual(types.toSorted());

      const labels = new Map(
        rows.map(([name, , of]) => [`pets_gateway_${codeIn(name)[0] ?? ''}`, codeIn(of)]),
      );
      for (const { name, labels: given } of samplesOf(exposed).filter(({ name }) =>
        name.startsWith('pets_'),
      )) {
        const family = labels.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
        const { le: _bound, ...others } = given;
        expect([family, Object.keys(others).toSorted()]).toEqual([family, labels.get(family)?.toSorted()]);
      }
    } finally {
      await gateway.close();
    }
  });

  test('has every alert with its severity, and what to do', () => {
    const headings = Array.from(PAGE.matchAll(/^### (.+)$/gm), ([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );
    const alerts = alertRules().filter(({ alert }) => alert !== undefined);
    const runbookOf = (runbook = '') => runbook.replace('docs/monitoring.md', '');
    expect(
      rowsBelow('The alerts').map(([name, severity, , what = '']) => [
        codeIn(name)[0],
        severity,
        /\((#[^)]+)\)/.exec(what)?.[1],
      ]),
    ).toEqual(
      expect.arrayContaining(
        alerts.map(({ alert, labels, annotations }) => [
          alert,
          labels?.severity,
          runbookOf(annotations?.runbook),
        ]),
      ),
    );
    expect(rowsBelow('The alerts')).toHaveLength(alerts.length);
    for (const { annotations } of alerts)
      expect(headings.map((heading) => `#${heading}`)).toContain(runbookOf(annotations?.runbook));
  });
});
