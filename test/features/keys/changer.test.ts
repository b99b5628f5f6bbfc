import { createCaller } from '../../../src/features/keys/caller.js';
import { actorOf } from '../../../src/features/keys/changer.js';
import { adminKey } from '../../support/admin-key.js';

test('the audit log names who changed something', () => {
  const callerAs = (role: 'staff' | 'owner' | 'admin') =>
    createCaller({ ...adminKey().key, id: `key_${role}`, role }, undefined, 60, 'hash');
  expect(actorOf(callerAs('staff'))).toEqual({ keyId: 'key_staff', role: 'staff' });
  expect(actorOf(callerAs('owner'))).toEqual({ keyId: 'key_owner', role: 'owner' });
  expect(actorOf(callerAs('admin'))).toEqual({ keyId: 'key_admin', role: 'admin' });
  const person = { role: 'command line', systemUser: 'alice@web-1' } as const;
  expect(actorOf(person)).toEqual(person);
});
