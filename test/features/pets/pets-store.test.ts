import { describePetsStore } from '../../contract/pets-store.js';
import { allLayers } from '../../support/pets-stores.js';

// Each layer by itself: test/thorough/pets-store.
describePetsStore('MongoDB', (store) => store);
describePetsStore('MongoDB with all layers', allLayers);
