import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const DEPLOY = join(__dirname, '../../deploy');

export interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: { severity: string };
  annotations?: { summary: string; description: string; runbook: string };
}

/** What Prometheus records and alerts on. */
export function alertRules(): Rule[] {
  const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** One query of Grafana's dashboard, as it is asked with everything chosen. */
export interface DashboardQuery {
  panel: string;
  expression: string;
  /** The labels that its legend shows. */
  legendLabels: string[];
}

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat?: string }[];
}

export function dashboardQueries(): DashboardQuery[] {
  const file = join(DEPLOY, 'grafana/dashboards/pets-gateway.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat = '' }) => ({
      panel: title,
      expression: expr
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('$instance', '.*')
        .replaceAll('$job', 'pets-gateway'),
      legendLabels: Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label),
    })),
  );
}

/** The names of metrics in an expression of PromQL that are a gateway's. */
export const metricsIn = (expression: string): string[] =>
  Array.from(expression.matchAll(/\b(?:pets_gateway|nodejs|process)_\w+\b(?!:)/g), ([name]) => name).filter(
    (name) => !expression.includes(`:${name}`),
  );

/** What the autoscaler of Kubernetes has prometheus-adapter ask for one pod, selected by these labels. */
export function autoscalerQuery(labels: string, groupBy: string): string {
  const file = join(DEPLOY, 'kubernetes/components/monitoring/prometheus-adapter-rules.yaml');
  const { rules } = parse(readFileSync(file, 'utf8')) as { rules: { custom: { metricsQuery: string }[] } };
  const [{ metricsQuery } = { metricsQuery: '' }] = rules.custom;
  return metricsQuery.replaceAll('<<.LabelMatchers>>', labels).replaceAll('<<.GroupBy>>', groupBy);
}
