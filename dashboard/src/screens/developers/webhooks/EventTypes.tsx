import { MultiSelect, type MultiSelectProps, Stack, Switch } from '@mantine/core'
import { useMemo } from 'react'
import type { EventType } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { formatState, WithNote } from '../../../ui/values.tsx'
import { isSubscribedToAll } from './subscribed-events.ts'

const NONE: EventType[] = []

/** Returns all event types. Undefined while they are loading, and empty if loading failed. */
export function useEventTypes(): EventType[] | undefined {
  const { data, error } = useOperation('list_event_types')
  return data?.data ?? (error ? NONE : undefined)
}

interface EventTypesProps {
  value?: string[]
  onChange(events: string[]): void
  error?: React.ReactNode
}

/**
 * Lets the user select either all events, including future types, or individual types. Users can
 * search by type and description.
 */
export function EventTypes({ value = [], onChange, error }: EventTypesProps) {
  const types = useEventTypes()
  const [groups, about] = useMemo(() => [groupsOf(types ?? []), aboutOf(types ?? [])], [types])
  const hasAll = isSubscribedToAll(value)
  return (
    <Stack gap="xs">
      <Switch
        label="All events, including future ones"
        checked={hasAll}
        onChange={(event) => onChange(event.currentTarget.checked ? ['*'] : [])}
      />
      {!hasAll && (
        <MultiSelect
          label="Events"
          description="Search for a word such as invoice, paid or transfer."
          placeholder={value.length === 0 ? 'Choose events' : undefined}
          required
          searchable
          clearable
          hidePickedOptions
          maxDropdownHeight={280}
          nothingFoundMessage="No event with that name."
          data={groups}
          value={value}
          onChange={onChange}
          error={error}
          filter={filterBy(about)}
          renderOption={({ option }) => (
            <WithNote note={about.get(option.value)}>{option.value}</WithNote>
          )}
        />
      )}
    </Stack>
  )
}

function groupsOf(types: EventType[]) {
  const groups = new Map<string, string[]>()
  for (const { type } of types) {
    const [noun = type] = type.split('.')
    groups.set(noun, [...(groups.get(noun) ?? []), type])
  }
  return [...groups].map(([noun, items]) => ({ group: formatState(noun), items }))
}

const aboutOf = (types: EventType[]) =>
  new Map(types.map(({ type, description }) => [type, withoutBackticks(description)]))

/** Removes the backticks around field names in descriptions. */
export const withoutBackticks = (description: string): string =>
  description.replaceAll(/`([^`]*)`/g, '“$1”')

type Filter = NonNullable<MultiSelectProps['filter']>

/** Matches if every word of the search is in the type or in its description. */
function filterBy(about: Map<string, string>): Filter {
  return ({ options, search }) => {
    const asked = search.toLowerCase().split(/\s+/).filter(Boolean)
    const fits = (type: string) => {
      const text = `${type} ${about.get(type) ?? ''}`.toLowerCase()
      return asked.every((word) => text.includes(word))
    }
    return options.flatMap((option): typeof options => {
      if (!('items' in option)) return fits(option.value) ? [option] : []
      const items = option.items.filter(({ value }) => fits(value))
      return items.length > 0 ? [{ ...option, items }] : []
    })
  }
}
