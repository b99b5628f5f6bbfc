import type { QuotaStoreKind } from '../../app/quota-stores.js';
import { fault, ok, warning, type Finding } from './finding.js';

export async function checkQuotaStore(store: QuotaStoreKind): Promise<Finding[]> {
  const { check, summary, faults } = await store.check();
  if (faults.length === 0) return [ok(check, summary)];
  return faults.map(({ text, advice, isOutage }) => (isOutage ? fault : warning)(check, text, advice));
}
