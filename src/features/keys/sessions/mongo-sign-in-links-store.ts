import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { SignInLink, SignInLinksStore } from './sign-in-link.js';

interface SignInLinkDocument extends Omit<SignInLink, 'tokenHash'> {
  _id: string;
}

const schema = new Schema<SignInLinkDocument>(
  {
    _id: String,
    sealedSecretHash: { type: String, required: true },
    keyId: { type: String, required: true },
    // As for sessions: the service checks the expiry until MongoDB removes the link.
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);

export const signInLinksCollection = collectionShape('signInLinks', schema);

export function createMongoSignInLinksStore(connection: Connection): SignInLinksStore {
  const model = connection.model<SignInLinkDocument>('SignInLink', schema, signInLinksCollection.name);
  return {
    async insert({ tokenHash, ...link }) {
      await new model({ _id: tokenHash, ...link }).save();
    },
    async take(tokenHash) {
      const found = await model.findOneAndDelete({ _id: tokenHash }).lean();
      if (found === null) return undefined;
      const { _id, ...link } = found;
      return { tokenHash: _id, ...link };
    },
  };
}
