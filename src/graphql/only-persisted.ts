import type { Response } from 'express';
import type { Config } from '../config.js';
import { callerOf, exchangeOf } from '../http/exchange.js';

/**
 * Whether who asks may execute listed operations only. Admins may ask for anything, or nobody could look at what is
 * wrong; so may the dashboard, whose pages are the operator's own.
 */
export function onlyPersisted(res: Response, { file, requiredFor }: Config['graphqlOperations']): boolean {
  if (file === undefined || exchangeOf(res).isBySession === true) return false;
  const { role } = callerOf(res).key;
  switch (requiredFor) {
    case 'browser':
      return role === 'browser';
    case 'all':
      return role !== 'admin';
    case 'none':
      return false;
  }
}
