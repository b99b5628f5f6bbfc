import type { RequestOptions } from 'node:https';
import { basename } from 'node:path';
import { ADVISED_VERSION as version } from './known-faults.js';
import { sha256 } from './mongod-cache.js';
import { ARCHIVE_SHA256 } from './mongod-checksums.js';
import type { MongodSource } from './mongod-source.js';

const SILENCE_TIMEOUT_MS = 15_000;

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
      override download(url: string): Promise<string> {
        // Before the download, which takes a while.
        pinnedSha256(basename(new URL(url).pathname));
        return super.download(url);
      }

      /** The library compares with an MD5 from the same host, which proves nothing against that host. */
      override async makeMD5check(_url: string, archive: string): Promise<boolean> {
        const expected = pinnedSha256(basename(archive));
        const actual = await sha256(archive);
        if (actual !== expected)
          throw new Error(`the checksum of its archive is ${actual}, and ${expected} was expected`);
        return true;
      }

      /**
       * The library leaves TLS certificates unchecked by default: they are checked. One attempt and a short silence limit,
       * because other sources follow.
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
       * The library draws its progress on stdout, which belongs to the gateway; what it counts here, it compares with the
       * length of the archive.
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

/** @throws Error for an archive without a checksum in the source */
function pinnedSha256(archive: string): string {
  const expected = ARCHIVE_SHA256[archive];
  if (expected === undefined)
    throw new Error(
      `this gateway knows no checksum of ${archive}, so it does not download it; install MongoDB ${version} or later yourself`,
    );
  return expected;
}

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
