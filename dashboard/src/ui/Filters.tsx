import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks'
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { ActionButton } from './buttons.tsx'
import { DayInput } from './DayInput.tsx'
import type { Search } from './navigation.ts'
import { isApiDate } from './typed-days.ts'

export type Filter =
  | {
      kind: 'choice'
      name: string
      label: string
      options: (string | { value: string; label: string })[]
    }
  | { kind: 'day'; name: string; label: string }
  | { kind: 'text'; name: string; label: string; placeholder?: string }

export const choice = (
  name: string,
  label: string,
  options: (string | { value: string; label: string })[],
): Filter => ({ kind: 'choice', name, label, options })

export const DAYS: Filter[] = [
  { kind: 'day', name: 'startDate', label: 'From' },
  { kind: 'day', name: 'endDate', label: 'To' },
]

/** With more options than this, users can search by typing. */
const SHORT = 10

interface FiltersProps {
  filters: Filter[]
  chosen: Search
  pick(name: string, value: string | undefined): void
  search: string | undefined
  searchFor: string | undefined
  isFiltered: boolean
  clear(): void
}

/** On a phone, shows only the search field, and a button that opens the filters. */
export function Filters({
  filters,
  chosen,
  pick,
  search,
  searchFor,
  isFiltered,
  clear,
}: FiltersProps) {
  const isPhone = useIsPhone()
  const [isOpen, { toggle }] = useDisclosure(isFiltered)
  return (
    <Group gap="xs" align="flex-end" role="search">
      {search && (
        <SearchField
          placeholder={searchFor}
          value={chosen[search] ?? ''}
          onSearch={(text) => pick(search, text || undefined)}
        />
      )}
      {filters.length > 0 && (
        <ActionButton icon={IconFilter} label="Filter" aria-expanded={isOpen} onClick={toggle} />
      )}
      {isOpen &&
        filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter}
            value={chosen[filter.name]}
            onPick={(value) => pick(filter.name, value)}
            width={isPhone ? '100%' : 200}
          />
        ))}
      {isFiltered && (
        <ActionButton
          icon={IconX}
          label="Clear filters"
          variant="subtle"
          color="gray"
          onClick={clear}
          fullWidth={isPhone}
        />
      )}
    </Group>
  )
}

function FilterField({
  filter,
  value,
  onPick,
  width,
}: {
  filter: Filter
  value: string | undefined
  onPick(value: string | undefined): void
  width: string | number
}) {
  if (filter.kind === 'choice') {
    return (
      <Select
        label={filter.label}
        placeholder="Any"
        data={filter.options}
        searchable={filter.options.length > SHORT}
        value={value ?? null}
        onChange={(picked) => onPick(picked ?? undefined)}
        clearable
        w={width}
      />
    )
  }
  if (filter.kind === 'day') {
    return (
      <DayInput
        label={filter.label}
        value={value ?? ''}
        // An incomplete date does not change the filter.
        onChange={(day) => (day === '' || isApiDate(day)) && onPick(day || undefined)}
        w={width}
      />
    )
  }
  return (
    <TextInput
      label={filter.label}
      placeholder={filter.placeholder}
      value={value ?? ''}
      onChange={(event) => onPick(event.currentTarget.value || undefined)}
      w={width}
    />
  )
}

export const useIsPhone = () =>
  useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false }) ?? false

function SearchField({
  value,
  placeholder,
  onSearch,
}: {
  value: string
  placeholder: string | undefined
  onSearch(text: string): void
}) {
  const [text, setText] = useState(value)
  const later = useDebouncedCallback(onSearch, 250)
  // "Back" and "Clear filters" change the value from outside. Text that is being typed must stay.
  const sent = useRef(value)
  useEffect(() => {
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  return (
    <TextInput
      aria-label="Search"
      type="search"
      placeholder={placeholder ?? 'Search'}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        sent.current = event.currentTarget.value.trim()
        later(sent.current)
      }}
      style={{ flex: '1 1 14rem' }}
      maw={360}
    />
  )
}
