/** MongoDB is unreachable, rejects the credentials, or is a standalone server. */
export class MongoUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'MongoUnusable';
  }
}
