import { describePetLists } from '../../contract/pet-lists.js';
import { allLayers } from '../../support/pets-stores.js';

// With more runs, and without layers: test/thorough/pet-lists.
describePetLists('MongoDB with all layers', allLayers, 25);
