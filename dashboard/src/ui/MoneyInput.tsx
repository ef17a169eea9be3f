import { NumberInput, type NumberInputProps, Text } from '@mantine/core'
import { useState } from 'react'

const signOf = (currency: string): string =>
  new Intl.NumberFormat('en-NG', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/**
 * The value is an amount in major units, as in the API, or '' if empty. On blur, shows two
 * decimals, because 9,000.50 would otherwise become 9,000.5.
 */
export function MoneyInput({
  currency = 'NGN',
  onChange,
  onBlur,
  ...props
}: NumberInputProps & { currency?: string }) {
  const [isTyping, type] = useState(false)
  return (
    <NumberInput
      min={0}
      decimalScale={2}
      fixedDecimalScale={!isTyping && !Number.isInteger(Number(props.value))}
      thousandSeparator=","
      hideControls
      inputMode="decimal"
      leftSection={
        <Text span size="sm" c="dimmed">
          {signOf(currency)}
        </Text>
      }
      {...props}
      onChange={(value) => {
        type(true)
        onChange?.(value)
      }}
      onBlur={(event) => {
        type(false)
        onBlur?.(event)
      }}
    />
  )
}
