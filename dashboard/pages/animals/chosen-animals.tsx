import { Button } from '../../components/button.js';
import { classNames } from '../../components/class-names.js';
import { Icon } from '../../components/icon.js';
import { Menu } from '../../components/menu.js';
import type { Selection } from '../../components/selection.js';
import { PET_STATUSES, type PetStatus } from '../../../src/features/pets/pet.js';
import type { Pet } from './animal-documents.js';
import { animals, STATUS_WORDS } from './status-words.js';

export interface ChosenAnimalsProps {
  /** The animals on the page that the user can choose. */
  pets: readonly Pet[];
  selection: Selection;
  /** How many animals the list has, in words. */
  count: string;
  onChoose: (chosen: readonly Pet[], to: PetStatus | 'removed') => void;
}

/**
 * Above the list: how many animals there are, and the actions for the selected ones. With a selection, the bar stays in
 * sight while the list scrolls.
 */
export function ChosenAnimals({ pets, selection, count, onChoose }: ChosenAnimalsProps) {
  const chosen = selection.chosenOf(pets);
  const isAll = chosen.length === pets.length;
  return (
    <div
      class={classNames('animal-tools', chosen.length > 0 && 'has-selection')}
      role="group"
      aria-label="Selected animals"
    >
      <div class="row">
        {pets.length > 0 && (
          <label class="row">
            <input
              type="checkbox"
              class="checkbox"
              checked={isAll}
              onChange={() => {
                for (const { id } of pets) if (isAll || !selection.isChosen(id)) selection.toggle(id);
              }}
            />
            Select all on this page
          </label>
        )}
        <span class="quiet" role="status">
          {count}
        </span>
      </div>
      {chosen.length > 0 && (
        <div class="row">
          <span>{chosen.length} selected</span>
          <Menu
            label={`Set the status of ${animals(chosen.length)}`}
            look="button-secondary"
            items={PET_STATUSES.map((status) => ({
              label: STATUS_WORDS[status],
              onChoose: () => onChoose(chosen, status),
            }))}
          >
            Set status
            <Icon name="down" />
          </Menu>
          <Button isSmall kind="danger" onPress={() => onChoose(chosen, 'removed')}>
            Remove {animals(chosen.length)}
          </Button>
          <Button isSmall onPress={selection.clear}>
            Clear
          </Button>
        </div>
      )}
    </div>
  );
}
