import type { Actor } from '../../audit/audit-record.js';

/** Limits of a site: number of files, and their total bytes. */
export const MAX_SITE_FILES = 500;
export const MAX_SITE_BYTES = 10 * 1024 * 1024;
/** Limit of an archive or a folder: files, folders, links, and entries that are left out of the site. */
export const MAX_ENTRIES = 2000;
/** How long a deploy waits for its archive. */
export const UPLOAD_SECONDS = 3600;

export type DeployState = 'awaiting_upload' | 'ready' | 'failed' | 'expired';

export const SITE_TEMPLATES = ['storefront'] as const;
export type SiteTemplate = (typeof SITE_TEMPLATES)[number];

/** One version of a project's site. */
export interface Deploy {
  id: string;
  projectId: string;
  /** 1, 2, … within the project. */
  number: number;
  state: DeployState;
  createdAt: Date;
  createdBy: Actor;
  message?: string;
  /** A single-page application: `index.html` answers navigation to a path that has no file and no extension. */
  spa: boolean;
  /** The deploy accepts its archive until then. */
  uploadExpiresAt: Date;
  /** Set if the state is `ready`, together with `sizeBytes`. */
  fileCount?: number;
  sizeBytes?: number;
  /** Why the deploy failed; set if the state is `failed`. */
  problem?: string;
  /** Why its upload did not make the deploy live. Removed when a rollback makes it live. */
  notLiveReason?: string;
}

/** A file of a site as it was uploaded. */
export interface FileContent {
  /** Relative, with `/`, in Unicode NFC: `css/shop.css`. */
  path: string;
  bytes: Buffer;
}

/** A file of a site as a deploy lists it. */
export interface SiteFile {
  path: string;
  /** SHA-256 of the bytes as hexadecimal digits. */
  sha256: string;
  sizeBytes: number;
  /** Includes the charset if the type has one. */
  contentType: string;
  /** The name looks hashed, but another stored deploy has other content at this path. */
  isRewritten?: boolean;
}
