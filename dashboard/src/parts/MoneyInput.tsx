import { NumberInput, type NumberInputProps, Text } from '@mantine/core'

/** The sign that stands before an amount: ₦. */
const signOf = (currency: string): string =>
  new Intl.NumberFormat('en-NG', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/** An amount in major units, as the API takes it; what is empty is ''. */
export function MoneyInput({
  currency = 'NGN',
  ...props
}: NumberInputProps & { currency?: string }) {
  return (
    <NumberInput
      min={0}
      decimalScale={2}
      thousandSeparator=","
      hideControls
      inputMode="decimal"
      leftSection={
        <Text span size="sm" c="dimmed">
          {signOf(currency)}
        </Text>
      }
      {...props}
    />
  )
}
