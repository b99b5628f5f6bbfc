import { connectMongo } from '../../src/platform/mongo/connection.js';

/** A password with characters that a URI cannot hold as they are is a mistake that people make: it is not repeated. */
test.each([
  'hunter@rabbit',
  'hunter/rabbit',
  'hunter:rabbit',
  'hunter?rabbit',
  'hunter#rabbit',
  'hunter%rabbit',
  'hunter%2Frabbit@rabbit',
  'hunter rabbit',
  'hunter[rabbit',
])('the password %j of MONGODB_URI is in no message', async (password) => {
  for (const uri of [
    `mongodb://gateway:${password}@127.0.0.1:1/pets?directConnection=true`,
    `mongodb://gateway:${password}@`,
    `mongodb+srv://gateway:${password}@127.0.0.1:1`,
  ]) {
    const opened = connectMongo({ uri, defaultDatabase: 'x', databaseSuffix: '', selectionTimeoutMs: 100 });
    const { message } = await opened.then(
      () => new Error('connected'),
      (error: unknown) => error as Error,
    );
    expect(message).toMatch(/cannot connect to MongoDB/);
    expect(message).not.toMatch(/hunter|rabbit/);
  }
});
