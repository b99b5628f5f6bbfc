/** MongoDB is unreachable, rejects the credentials, or has not the replica set that the gateway needs. */
export class MongoUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'MongoUnusable';
  }
}
