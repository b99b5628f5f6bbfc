import { describeLook } from '../contract/look.js';
import { LOOKS, PHONE_BY_NIGHT } from '../interfaces/docs/open-page.js';

// The one that is left out: test/interfaces/docs/looks.
for (const look of LOOKS.filter((look) => look !== PHONE_BY_NIGHT)) describeLook(look);
