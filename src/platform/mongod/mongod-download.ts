import type { RequestOptions } from 'node:https';
import { basename } from 'node:path';
import { fileSha256 } from '../../lib/sha256.js';
import { ADVISED_VERSION as version } from './known-faults.js';
import type { MongodSource } from './mongod-source.js';

const SILENCE_TIMEOUT_MS = 15_000;

/**
 * MongoDB's own download, for the platforms that MongoDB builds for. mongodb-memory-server-core chooses the archive for
 * the system. 8.0 is the release with the longest support ahead.
 */
export const officialDownload: MongodSource = {
  name: `MongoDB ${version} from fastdl.mongodb.org`,
  version,
  async fetch({ folder, onDownload }) {
    const startedAt = Date.now();
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
        const actual = await fileSha256(archive);
        if (actual !== expected)
          throw new Error(`wrong checksum of the archive: expected ${expected}, received ${actual}`);
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
        onDownload({ bytes: this.dlProgress.current, totalBytes: this.dlProgress.length, startedAt });
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
      `the gateway has no checksum for ${archive} and does not download it; install MongoDB ${version} or later yourself`,
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

/**
 * SHA-256 checksums of MongoDB's archives of ADVISED_VERSION, by archive name on MongoDB's download host. They are part
 * of the source because the download host must not vouch for itself. The gateway does not download an archive without a
 * checksum here. The macOS checksums come from MongoDB's own Homebrew tap; the Linux checksums are published by
 * installers that pin them.
 */
const ARCHIVE_SHA256: Readonly<Record<string, string>> = {
  'mongodb-linux-x86_64-ubuntu2004-8.0.17.tgz':
    'b90f31da88ba94ad20b7a18801a6abd85b7f31bf42677e11b53ec5f82cd5dedf',
  'mongodb-linux-aarch64-ubuntu2004-8.0.17.tgz':
    '6f8de47d323c93a2a3d800f9ba529321d7c24dce8e6f344b933c89b9d744dd3c',
  'mongodb-linux-x86_64-ubuntu2204-8.0.17.tgz':
    '4372a8e503a61814c565d4ccbc5f6765787944772e8969c13ba96c99cca11f75',
  'mongodb-linux-aarch64-ubuntu2204-8.0.17.tgz':
    '2709ec6acd3de02666d02318d436f5d68dfb7d20b025d24a12a0914aacff4bd3',
  'mongodb-linux-x86_64-ubuntu2404-8.0.17.tgz':
    'fe7bccea2ac1eed16867e9ae5a60481455ee30796f285fe67d0d02a6c2abbdda',
  'mongodb-linux-aarch64-ubuntu2404-8.0.17.tgz':
    '8dc5919025dbabe2103b8e187e2102492af93c08842c37114272bd894e5cfc13',
  'mongodb-linux-x86_64-debian12-8.0.17.tgz':
    'b774ed64ec13732d25cd8c937bcd221ceadd0c746371f2279aa63aa492c1d0d0',
  'mongodb-linux-x86_64-rhel8-8.0.17.tgz': 'c8986f6fc001d456bd2160c2e96d24201599627eb5832f49d95673779a2768cf',
  'mongodb-linux-aarch64-rhel8-8.0.17.tgz':
    'f7118b78fe5f60724109bf3548d46d4c898f9ec14a7bb4821d43a080a8a98572',
  'mongodb-linux-x86_64-rhel93-8.0.17.tgz':
    '9bcb2b0ae5d114a752e3fa9105a50020a104b6c5eaf69d7c248cae43b812196e',
  'mongodb-linux-aarch64-rhel93-8.0.17.tgz':
    '7192d831f58cc5eece0e3d24921dc4612c99b506ee432c703c8ba687f6322894',
  'mongodb-linux-x86_64-amazon2023-8.0.17.tgz':
    '29c195b32b1dd3f0dfa8a497e2199ec313e1e86d3b56966f49822ccb65f1cfcd',
  'mongodb-linux-aarch64-amazon2023-8.0.17.tgz':
    '6f26e7d510d5136eb3397cc15e54adb28adb9e0eeb5648d4f3e2aac3a561dfb4',
  'mongodb-linux-x86_64-suse15-8.0.17.tgz':
    '255490e01c2f10ebbf56b284e08d2b1830e5693842b5ba9849d88a92ce5c3cb5',
  'mongodb-macos-x86_64-8.0.17.tgz': 'daca542b413f4322cef3199bdceed9c06e0b9999a246f6d72c42afb463349805',
  'mongodb-macos-arm64-8.0.17.tgz': 'e1ec5131b8d65f06d3a1a9f1a4bfe6f08a7d2f9c876436d33ab483d2e26840cb',
};
