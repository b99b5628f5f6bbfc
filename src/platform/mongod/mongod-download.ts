import type { RequestOptions } from 'node:https';
import { basename } from 'node:path';
import { ADVISED_VERSION as version } from './known-faults.js';
import { sha256 } from './mongod-cache.js';
import { ARCHIVE_SHA256 } from './mongod-checksums.js';
import type { MongodSource } from './mongod-source.js';

const SILENCE_TIMEOUT_MS = 15_000;

/**
 * MongoDB's own download, for the platforms that MongoDB builds for. mongodb-memory-server-core chooses the archive for
 * the system. 8.0 is the release with the longest support ahead.
 */
export const officialDownload: MongodSource = {
  name: `the official download, MongoDB ${version} from fastdl.mongodb.org`,
  version,
  async fetch({ folder }) {
    // Loaded only on a download: most starts find a mongod and do not need this module.
    const { MongoBinaryDownload } =
      await import('mongodb-memory-server-core/lib/util/MongoBinaryDownload.js');
    const { getOS } = await import('mongodb-memory-server-core/lib/util/getos/index.js');
    class VerifiedDownload extends MongoBinaryDownload {
      override download(url: string): Promise<string> {
        // Fail before the slow download if the archive has no checksum.
        pinnedSha256(basename(new URL(url).pathname));
        return super.download(url);
      }

      /** The library compares an MD5 from the same host, which does not protect against that host. */
      override async makeMD5check(_url: string, archive: string): Promise<boolean> {
        const expected = pinnedSha256(basename(archive));
        const actual = await sha256(archive);
        if (actual !== expected)
          throw new Error(`the checksum of its archive is ${actual}, and ${expected} was expected`);
        return true;
      }

      /**
       * Enables the TLS certificate check, which the library turns off by default. Makes one attempt with a short
       * silence limit, because other sources follow.
       */
      override httpDownload(
        url: URL,
        options: RequestOptions,
        location: string,
        temporary: string,
      ): Promise<string> {
        const checked = { ...options, rejectUnauthorized: true };
        return super.httpDownload(url, checked, location, temporary, 1, 0, SILENCE_TIMEOUT_MS);
      }

      /**
       * The library prints progress on stdout, which belongs to the gateway. The count stays: the library compares it
       * with the length of the archive.
       */
      override printDownloadProgress(chunk: { length: number }): void {
        this.dlProgress.current += chunk.length;
      }
    }
    return new VerifiedDownload({
      version,
      os: withBuilds(await getOS()),
      downloadDir: folder,
    }).getMongodPath();
  },
};

/** @throws Error for an archive without a pinned checksum */
function pinnedSha256(archive: string): string {
  const expected = ARCHIVE_SHA256[archive];
  if (expected === undefined)
    throw new Error(
      `this gateway knows no checksum of ${archive}, so it does not download it; install MongoDB ${version} or later yourself`,
    );
  return expected;
}

/** MongoDB builds for Debian on x64 only. On ARM, the Ubuntu 22.04 build runs on Debian 12 and later. */
function withBuilds<T extends { os: string; dist?: string }>(system: T): T | LinuxSystem {
  const isDebianOnArm = system.dist === 'debian' && process.arch === 'arm64';
  return isDebianOnArm ? { os: 'linux', dist: 'ubuntu', release: '22.04' } : system;
}

interface LinuxSystem {
  os: 'linux';
  dist: string;
  release: string;
}
