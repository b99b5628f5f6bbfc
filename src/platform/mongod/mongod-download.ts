import type { RequestOptions } from 'node:https';
import type { MongodSource } from './mongod-source.js';

const version = '8.0.12';
const silenceTimeoutMs = 15_000;

/**
 * MongoDB's own download, for the platforms MongoDB builds for. mongodb-memory-server-core knows which archive
 * suits which system; 8.0 is the release with the longest support ahead of it.
 */
export const officialDownload: MongodSource = {
  name: `the official download, MongoDB ${version} from fastdl.mongodb.org`,
  version,
  async fetch({ folder }) {
    // Loaded here because a start that finds a mongod never needs it.
    const { MongoBinaryDownload } =
      await import('mongodb-memory-server-core/lib/util/MongoBinaryDownload.js');
    const { getOS } = await import('mongodb-memory-server-core/lib/util/getos/index.js');
    class VerifiedDownload extends MongoBinaryDownload {
      /**
       * The library leaves TLS certificates unchecked by default, and an MD5 fetched over the same connection proves
       * nothing against whoever sits on it: so they are checked. One attempt and a short silence limit, because
       * other sources follow.
       */
      override httpDownload(
        url: URL,
        options: RequestOptions,
        location: string,
        temporary: string,
      ): Promise<string> {
        const checked = { ...options, rejectUnauthorized: true };
        return super.httpDownload(url, checked, location, temporary, 1, 0, silenceTimeoutMs);
      }

      /** The library draws its progress on stdout, which belongs to the gateway. */
      override printDownloadProgress(): void {
        // Deliberately silent: the caller has already said that a download is under way.
      }
    }
    return new VerifiedDownload({
      version,
      os: withBuilds(await getOS()),
      downloadDir: folder,
      checkMD5: true,
    }).getMongodPath();
  },
};

/** MongoDB builds for Debian on x64 only; what it builds for Ubuntu 22.04 on ARM runs on Debian 12 and later. */
function withBuilds<T extends { os: string; dist?: string }>(system: T): T | LinuxSystem {
  const isDebianOnArm = system.dist === 'debian' && process.arch === 'arm64';
  return isDebianOnArm ? { os: 'linux', dist: 'ubuntu', release: '22.04' } : system;
}

interface LinuxSystem {
  os: 'linux';
  dist: string;
  release: string;
}
