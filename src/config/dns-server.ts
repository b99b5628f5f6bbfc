import { isIP, isIPv4, isIPv6 } from 'node:net';

/** Whether `text` is the address of a DNS server, with or without a port (`192.0.2.1:53`, `[2001:db8::1]:53`). */
export function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, address = text, port = '53'] = /^(.+):([0-9]{1,5})$/.exec(text) ?? [];
  const inBrackets = address.startsWith('[') && address.endsWith(']') && isIPv6(address.slice(1, -1));
  return (isIPv4(address) || inBrackets) && Number(port) > 0 && Number(port) < 65_536;
}
