import { isPrivateName } from '../private-names.js';
import type { Answer, Dns } from './dns.js';

const NO_SUCH_NAME = { nameExists: false, records: [] } as const;

/**
 * DNS as the public sees it: names of private networks do not exist. So a customer's record cannot lead a check into
 * the operator's network.
 */
export function publicNamesOf(dns: Dns, platformHost: string): Dns {
  const publicOnly =
    <R>(ask: (name: string) => Promise<Answer<R>>) =>
    (name: string): Promise<Answer<R>> =>
      isPrivateName(name, platformHost) ? Promise.resolve(NO_SUCH_NAME) : ask(name);
  return {
    cname: publicOnly((name) => dns.cname(name)),
    addresses4: publicOnly((name) => dns.addresses4(name)),
    addresses6: publicOnly((name) => dns.addresses6(name)),
    txt: publicOnly((name) => dns.txt(name)),
    caa: publicOnly((name) => dns.caa(name)),
  };
}
