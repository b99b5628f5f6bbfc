import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import type { Config } from '../../config/config.js';
import { DnsUnavailable, type Dns } from '../../features/publishing/domains/dns/dns.js';
import { isLocalhostName } from '../../lib/loopback.js';
import { ANSWER_TIMEOUT_MS, askReadiness, gatewayOriginOf, originOf } from '../gateway-url.js';
import { fault, ok, warning, type Finding } from './finding.js';
import { addressesOf, anySite } from '../../features/publishing/domains/host-addresses.js';

/** What listens at a port. `gateway` for HTTPS: a server that speaks TLS as the gateway does. */
type Found = 'gateway' | 'other' | 'nothing';

interface VisitorPort {
  setting: 'HTTP_PORT' | 'HTTPS_PORT';
  port: number;
  /** The port as visitors see it. */
  publicPort: number;
  look: (host: string, port: number) => Promise<Found>;
}

/** A DNS answer can have many addresses. */
const MAX_ADDRESSES = 4;

/**
 * Checks the ports for visitors: on this machine, and if a gateway listens there, at the addresses that PLATFORM_HOST
 * has in DNS.
 */
export async function checkVisitorPorts(config: Config, dns: Dns): Promise<Finding[]> {
  const { platformHost, httpPort, httpsPort, publicHttpPort = 80, publicHttpsPort = 443 } = config;
  if (platformHost === undefined) return [];
  const site = anySite(platformHost).host;
  const ports: VisitorPort[] = [
    ...(httpPort === undefined
      ? []
      : [{ setting: 'HTTP_PORT', port: httpPort, publicPort: publicHttpPort, look: lookForHttp } as const]),
    ...(httpsPort === undefined
      ? []
      : [
          {
            setting: 'HTTPS_PORT',
            port: httpsPort,
            publicPort: publicHttpsPort,
            look: (host: string, port: number) => lookForTls(host, port, site),
          } as const,
        ]),
  ];
  return Promise.all(ports.map((port) => checkVisitorPort(port, config, site, dns)));
}

async function checkVisitorPort(
  { setting, port, publicPort, look }: VisitorPort,
  config: Config,
  site: string,
  dns: Dns,
): Promise<Finding> {
  // Without the port of the scheme, a URL names none.
  const host = originOf(config.host, port).replace('http://', '');
  switch (await look(config.host, port)) {
    case 'other':
      return occupied(setting, host);
    case 'nothing':
      return checkFree(setting, port, host, config);
    case 'gateway': {
      // Any TLS server completes a handshake.
      if (!(await isRunning(config))) return occupied(setting, host);
      const addresses = await publicAddressesOf(site, dns);
      const reached = await Promise.all(
        addresses.map(async (address) => (await look(address, publicPort)) === 'gateway'),
      );
      const missed = addresses.filter((_address, i) => reached[i] === false);
      if (missed.length > 0)
        return warning(
          setting,
          `a gateway listens at ${host}, but from this machine none answers at port ${publicPort} of ${missed.join(', ')}`,
          'Open the port in the firewall, and forward it to the gateway. Some networks do not let a machine reach its own public address: then check from another machine.',
        );
      const where = addresses.length === 0 ? '' : `, and at port ${publicPort} of ${addresses.join(', ')}`;
      return ok(setting, `a gateway listens at ${host}${where}`);
    }
  }
}

async function checkFree(setting: string, port: number, host: string, config: Config): Promise<Finding> {
  const code = await bindFaultOf(config.host, port);
  if (code === 'EADDRINUSE')
    return fault(
      setting,
      `another program listens at ${host}, or a gateway that does not answer`,
      'Stop that program. If it is a busy gateway, try again later.',
    );
  if (code === 'EACCES')
    return warning(
      setting,
      `this user has no permission to use port ${port}`,
      "If the gateway's own user has none either, docs/going-live.md lists the ways to allow ports below 1024.",
    );
  if (code !== undefined)
    return fault(setting, `cannot listen at ${host}: ${code}`, 'Correct HOST or the port.');
  return (await isRunning(config))
    ? fault(setting, `the running gateway does not listen at ${host}`, 'Restart it with these settings.')
    : ok(setting, `nothing listens at ${host} yet`);
}

async function isRunning(config: Config): Promise<boolean> {
  return ['ready', 'not ready'].includes(await askReadiness(await gatewayOriginOf(config)));
}

function occupied(setting: string, host: string): Finding {
  return fault(setting, `another program listens at ${host}`, 'Stop that program.');
}

/** Returns the error code if this process cannot listen at the port. */
async function bindFaultOf(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    server.close();
  }
}

/** The addresses of a site's host; none for a name that leads to this machine by definition. */
async function publicAddressesOf(site: string, dns: Dns): Promise<string[]> {
  if (isLocalhostName(site)) return [];
  try {
    return (await addressesOf(site, dns)).slice(0, MAX_ADDRESSES);
  } catch (error) {
    // checkHosts reports it.
    if (error instanceof DnsUnavailable) return [];
    throw error;
  }
}

async function lookForHttp(host: string, port: number): Promise<Found> {
  const found = await askReadiness(originOf(host, port));
  return found === 'ready' || found === 'not ready' ? 'gateway' : found;
}

/** The gateway ends a handshake for a name without a certificate with the alert handshake_failure. */
function lookForTls(host: string, port: number, servername: string): Promise<Found> {
  const { hostname } = new URL(originOf(host, port));
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      servername,
      // Only the port matters here: checkCertificates checks the certificate.
      rejectUnauthorized: false,
      timeout: ANSWER_TIMEOUT_MS,
    });
    const end = (found: Found) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('secureConnect', () => end('gateway'));
    socket.once('timeout', () => end('nothing'));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code.includes('ALERT_HANDSHAKE_FAILURE')) end('gateway');
      else end(code.startsWith('ERR_SSL') || code === 'ECONNRESET' ? 'other' : 'nothing');
    });
  });
}
