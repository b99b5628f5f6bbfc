import { describePetsStore } from '../../contract/pets-store.js';
import { allLayers, coalescedReads, groupCommit, leasedIds } from '../../support/pets-stores.js';

describePetsStore('MongoDB', (store) => store);
describePetsStore('MongoDB with coalesced reads', coalescedReads);
describePetsStore('MongoDB with group commit', groupCommit);
describePetsStore('MongoDB with leased ids', leasedIds);
describePetsStore('MongoDB with all of them', allLayers);
