/* global connect, sleep */
// Runs once beside MongoDB, in mongosh at the address 127.0.0.1 of its container: turns the single node into a replica
// set, and creates the users. While there are no users, MongoDB lets its own machine do this without a password.
const { readFileSync } = require('node:fs');

const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
const rootPassword = secret('mongodb-root-password');
const admin = connect('mongodb://127.0.0.1:27017/admin?directConnection=true');

const signIn = () => admin.auth('root', rootPassword);
let isNew = false;
try {
  signIn();
} catch {
  isNew = true;
}

if (admin.hello().setName === undefined) {
  const members = [{ _id: 0, host: 'mongodb:27017' }];
  admin.adminCommand({ replSetInitiate: { _id: 'rs0', members } });
}
while (!admin.hello().isWritablePrimary) sleep(200);

if (isNew) {
  try {
    admin.createUser({ user: 'root', pwd: rootPassword, roles: ['root'] });
  } catch (error) {
    throw new Error(
      'The volume mongodb-data has another root password than secrets/mongodb-root-password. Write that password to this file.',
      { cause: error },
    );
  }
  signIn();
}

// Each gateway has a user for its own database only. dbAdmin: the gateway changes how long indexes keep documents.
for (const [uri, database] of [
  ['mongodb-uri', 'pets'],
  ['mongodb-uri-staging', 'pets_staging'],
]) {
  const { username, password } = new URL(secret(uri));
  const [user, pwd] = [username, password].map(decodeURIComponent);
  const roles = ['readWrite', 'dbAdmin'];
  const db = admin.getSiblingDB(database);
  if (db.getUser(user) === null) db.createUser({ user, pwd, roles });
  else db.updateUser(user, { pwd, roles });
}
