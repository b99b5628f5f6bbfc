import { describeInterruptedSetup } from '../contract/interrupted-setup.js';
import { useEmbedded } from '../support/use-embedded.js';

describeInterruptedSetup(useEmbedded(), [0, 75, 150, 225, 300, 375, 450, 525, 600, 675, 750, 900]);
