import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCalendar } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { dayText, isApiDate, parseDay } from './typed-days.ts'

interface DayInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** `2026-11-02` or, with a time, `2026-11-02T14:30`. Empty if nothing is selected. */
  value?: string
  /** Receives text that is not a date as typed, so that the server can refuse it. */
  onChange?(value: string): void
  hasTime?: boolean
}

/**
 * Shows dates as everywhere in the dashboard (2 Nov 2026), whatever the browser's format. Users
 * type the date or choose it in the browser's calendar. On a phone, they can only choose it.
 */
export function DayInput({
  value = '',
  onChange,
  onBlur,
  error,
  hasTime = false,
  ...props
}: DayInputProps) {
  const [typed, setTyped] = useState<string>()
  const calendar = useRef<HTMLInputElement>(null)
  const isTouched = useMediaQuery('(pointer: coarse)') ?? false
  const open = () => calendar.current?.showPicker()
  const isWrong = typed === undefined && value !== '' && !isApiDate(value)
  return (
    <TextInput
      {...props}
      autoComplete="off"
      placeholder="Date"
      readOnly={isTouched}
      {...(isTouched && { onClick: open })}
      value={typed ?? dayText(value)}
      error={isWrong ? 'Enter a date, such as 2 Nov 2026.' : error}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        const read = parseDay(currentTarget.value, hasTime)
        // Until the date is complete, it may still become a different one.
        if (read?.isWhole) onChange?.(read.value)
        else if (currentTarget.value === '') onChange?.('')
      }}
      onBlur={(event) => {
        if (typed) onChange?.(parseDay(typed, hasTime)?.value ?? typed.trim())
        setTyped(undefined)
        onBlur?.(event)
      }}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Choose a date"
            disabled={props.disabled ?? false}
            onClick={open}
          >
            <IconCalendar size={16} />
          </ActionIcon>
          <input
            ref={calendar}
            className="calendar"
            type={hasTime ? 'datetime-local' : 'date'}
            tabIndex={-1}
            aria-hidden
            value={isApiDate(value) ? value : ''}
            onChange={({ currentTarget }) => {
              setTyped(undefined)
              onChange?.(currentTarget.value)
            }}
          />
        </>
      }
    />
  )
}
