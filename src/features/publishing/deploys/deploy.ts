import type { Actor } from '../../audit/audit-record.js';

/** What a site may have, in files and in bytes of them. */
export const MAX_SITE_FILES = 500;
export const MAX_SITE_BYTES = 10 * 1024 * 1024;
/** What an archive or a folder may have in all: files, folders, links, and what is left out of the site. */
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
  /** Until when its archive is taken. */
  uploadExpiresAt: Date;
  /** Both set when it is ready. */
  fileCount?: number;
  sizeBytes?: number;
  /** Set when it failed: why. */
  problem?: string;
}

/** A file of a site as it was given. */
export interface FileContent {
  /** Relative, with `/`, in Unicode NFC: `css/shop.css`. */
  path: string;
  bytes: Buffer;
}

/** A file of a site as a deploy lists it. */
export interface SiteFile {
  path: string;
  /** Of its bytes, in hexadecimal digits: what it is stored under. */
  sha256: string;
  sizeBytes: number;
  /** With the charset where the type has one. */
  contentType: string;
}
