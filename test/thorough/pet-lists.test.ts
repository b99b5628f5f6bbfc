import { describePetLists } from '../contract/pet-lists.js';
import { allLayers } from '../support/pets-stores.js';

describePetLists('MongoDB', (store) => store, 200);
describePetLists('MongoDB with all layers', allLayers, 200);
