import { describeLook } from '../../contract/look.js';
import { PHONE_BY_NIGHT } from './open-page.js';

// The other looks: test/thorough/looks.
describeLook(PHONE_BY_NIGHT);
