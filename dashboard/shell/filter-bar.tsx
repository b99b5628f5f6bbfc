import { classNames } from '../components/class-names.js';
import { SelectField, type Choice } from '../components/field.js';
import { SearchField } from '../components/search-field.js';
import { Filters } from './filters.js';
import type { FilterShape, UsedFilters } from './use-filters.js';

export interface FilterBarProps<Shape extends FilterShape> {
  /** What is filtered, for screen readers. */
  label: string;
  filters: UsedFilters<Shape>['filters'];
  onChange: UsedFilters<Shape>['change'];
  fields: readonly FilterField<keyof Shape & string>[];
}

export interface FilterField<Name extends string> {
  name: Name;
  label: string;
  /** The first one is chosen if the filter is not set. Without choices, it is a field to type in. */
  choices?: readonly Choice<string>[];
  /** A field for a few digits. */
  isShort?: boolean;
  /** Wide tables have their headers for it. */
  isOnPhone?: boolean;
}

/** The filters above a list. */
export function FilterBar<Shape extends FilterShape>(props: FilterBarProps<Shape>) {
  const { label, filters, onChange, fields } = props;
  return (
    <Filters label={label} count={Object.values(filters).filter(Boolean).length}>
      {fields.map(({ name, label: word, choices, isShort = false, isOnPhone = false }) => {
        const value = (filters as Readonly<Record<string, string | undefined>>)[name];
        const change = (changed: string) => onChange({ [name]: changed } as Parameters<typeof onChange>[0]);
        return (
          <div key={name} class={classNames('filter', isShort && 'short', isOnPhone && 'on-phone')}>
            {choices === undefined ? (
              <SearchField label={word} name={name} value={value ?? ''} onSearch={change} />
            ) : (
              <SelectField
                label={word}
                name={name}
                value={value ?? choices[0]?.value ?? ''}
                choices={choices}
                onChange={change}
              />
            )}
          </div>
        );
      })}
    </Filters>
  );
}
