import { createRequire } from 'node:module';
import 'reflect-metadata';
import type * as X509 from '@peculiar/x509';

const load = createRequire(__filename);

/** Loads the library at its first use: it has 200 modules, and gateways without custom domains need none of them. */
export function loadX509(): typeof X509 {
  return load('@peculiar/x509') as typeof X509;
}
