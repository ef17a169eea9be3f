import { MultiSelect, type MultiSelectProps, Stack, Switch, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { EventType } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { words } from '../../../ui/values.tsx'
import { isSubscribedToAll } from './subscribed-events.ts'

const NONE: EventType[] = []

/** All types of events that there are, undefined until they are read; none if they cannot be. */
export function useEventTypes(): EventType[] | undefined {
  const { data, error } = useOperation('list_event_types')
  return data?.data ?? (error ? NONE : undefined)
}

interface EventTypesProps {
  value?: string[]
  onChange(events: string[]): void
  error?: React.ReactNode
}

/** Everything that there is and will be, or some of it, found by type and by what it says. */
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
          description="Type to find one: invoice, paid, transfer…"
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
            <Stack gap={0}>
              <span>{option.value}</span>
              <Text span size="xs" c="dimmed">
                {about.get(option.value)}
              </Text>
            </Stack>
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
  return [...groups].map(([noun, items]) => ({ group: words(noun), items }))
}

const aboutOf = (types: EventType[]) =>
  new Map(types.map(({ type, description }) => [type, inWords(description)]))

/** Names of fields stand in backticks there. */
export const inWords = (description: string): string => description.replaceAll(/`([^`]*)`/g, '“$1”')

type Filter = NonNullable<MultiSelectProps['filter']>

/** By each word that was typed, in the type or in what it means. */
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
