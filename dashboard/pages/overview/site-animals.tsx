import { useState } from 'preact/hooks';
import type { SiteAnimals } from '../../api/schema-types.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { SelectField, type Choice } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { UPDATE_PROJECT, type ProjectOverview } from './overview-documents.js';

const WORDS: Record<SiteAnimals, string> = {
  own: 'Only the animals of this project',
  all: 'All animals of the catalogue',
};
const CHOICES = (Object.entries(WORDS) as [SiteAnimals, string][]).map(
  ([value, label]): Choice<SiteAnimals> => ({ value, label }),
);

export interface SiteAnimalsSettingProps {
  project: Pick<ProjectOverview, 'id' | 'siteAnimals'>;
  onChanged: () => Promise<void>;
}

/** Shows which animals the project's site shows, and changes that. */
export function SiteAnimalsSetting({ project: { id, siteAnimals }, onChanged }: SiteAnimalsSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(siteAnimals);
  const announce = useAnnounce();
  return (
    <>
      {WORDS[siteAnimals]}{' '}
      <Button
        isSmall
        label="Change which animals the site shows"
        onPress={() => {
          setChosen(siteAnimals);
          setOpen(true);
        }}
      >
        Change
      </Button>
      {isOpen && (
        <FormDialog
          title="Animals on the site"
          action="Save"
          document={UPDATE_PROJECT}
          variables={() => ({ input: { projectId: id, siteAnimals: chosen } })}
          onDone={() => {
            setOpen(false);
            announce(`The site shows: ${WORDS[chosen]}.`);
            void onChanged();
          }}
          onClose={() => setOpen(false)}
        >
          <SelectField
            label="The site shows"
            name="siteAnimals"
            hint="The catalogue has the animals of all projects. Keys of the project can read all of it in any case."
            value={chosen}
            choices={CHOICES}
            onChange={setChosen}
          />
        </FormDialog>
      )}
    </>
  );
}
