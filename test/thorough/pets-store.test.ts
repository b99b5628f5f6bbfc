import { describePetsStore } from '../contract/pets-store.js';
import { coalescedReads, groupCommit, leasedIds } from '../support/pets-stores.js';

// As they are and with all layers: test/features/pets/pets-store.
describePetsStore('MongoDB with coalesced reads', coalescedReads);
describePetsStore('MongoDB with group commit', groupCommit);
describePetsStore('MongoDB with leased ids', leasedIds);
