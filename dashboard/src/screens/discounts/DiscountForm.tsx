import { NumberInput, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core'
import type { DiscountCode } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { useDayOf } from '../../parts/days.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { ProductPicker } from '../../parts/ProductPicker.tsx'
import { t } from '../../texts/en.ts'

type Amount = number | string

interface Values extends Record<string, unknown> {
  code: string
  type: string
  value: Amount
  productIds: string[]
  minSpend: Amount
  maxDiscount: Amount
  startsAt: string
  endsAt: string
  maxUses: Amount
  maxUsesPerCustomer: Amount
}

const EMPTY: Values = {
  code: '',
  type: 'percentage',
  value: '',
  productIds: [],
  minSpend: '',
  maxDiscount: '',
  startsAt: '',
  endsAt: '',
  maxUses: '',
  maxUsesPerCustomer: '',
}

type DayOf = ReturnType<typeof useDayOf>

const valuesOf = (code: DiscountCode, dayOf: DayOf): Values => ({
  code: code.code,
  type: code.type,
  value: code.value,
  productIds: code.productIds,
  minSpend: code.minSpend ?? '',
  maxDiscount: code.maxDiscount ?? '',
  startsAt: dayOf(code.startsAt),
  endsAt: dayOf(code.endsAt, true),
  maxUses: code.maxUses ?? '',
  maxUsesPerCustomer: code.maxUsesPerCustomer ?? '',
})

/** What is sent: of a new code what is given; of another what was changed, where null clears. */
function toSend(values: Values, code: DiscountCode | undefined, dayOf: DayOf) {
  if (!code) {
    return Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== '' && String(value) !== ''),
    )
  }
  const before = valuesOf(code, dayOf)
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return {
    discountId: code.id,
    ...Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])),
    ...(values.type !== before.type && { value: values.value }),
  }
}

export function DiscountForm({
  code,
  opened,
  onClose,
}: {
  code?: DiscountCode
  opened: boolean
  onClose(): void
}) {
  const currency = code?.currency ?? 'NGN'
  const dayOf = useDayOf()
  return (
    <FormModal<Values>
      title={code ? `Edit ${code.code}` : 'New discount code'}
      size="lg"
      opened={opened}
      onClose={onClose}
      initial={code ? valuesOf(code, dayOf) : EMPTY}
      edits={
        code && {
          path: 'payment-service/products/get-discount-codes',
          query: { code: code.code },
          valuesOf: ({ data }: Envelope<DiscountCode[]>) => {
            const now = data.find(({ id }) => id === code.id)
            return now && valuesOf(now, dayOf)
          },
        }
      }
      action={{
        path: `payment-service/products/${code ? 'update-discount-code-details' : 'add-discount-code'}`,
        method: code ? 'PUT' : 'POST',
        send: (values) => toSend(values, code, dayOf),
        done: code ? t.action.saved : 'The code can be used.',
      }}
      validate={{
        code: (text) =>
          /^[A-Za-z0-9_-]{3,32}$/.test(text)
            ? null
            : 'Three to 32 letters, digits, hyphens or underscores.',
        value: (value, { type }) =>
          Number(value) > 0 && (type === 'fixed' || Number(value) <= 100)
            ? null
            : type === 'fixed'
              ? 'Must be more than zero.'
              : 'More than 0, and at most 100.',
      }}
      verb={code ? t.action.save : 'Create the code'}
    >
      {(form) => (
        <>
          <TextInput
            label="Code"
            description="What buyers type; small and capital letters are the same."
            required
            data-autofocus
            maxLength={32}
            styles={{ input: { textTransform: 'uppercase' } }}
            {...form.getInputProps('code')}
          />
          <SegmentedControl
            aria-label="What comes off"
            data={[
              { value: 'percentage', label: 'Percent' },
              { value: 'fixed', label: 'An amount' },
            ]}
            {...form.getInputProps('type')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {form.values.type === 'fixed' ? (
              <MoneyInput
                label="Comes off"
                required
                currency={currency}
                {...form.getInputProps('value')}
              />
            ) : (
              <NumberInput
                label="Comes off"
                required
                suffix=" %"
                min={0}
                max={100}
                decimalScale={2}
                hideControls
                {...form.getInputProps('value')}
              />
            )}
            {form.values.type === 'percentage' && (
              <MoneyInput
                label="Largest discount"
                currency={currency}
                {...form.getInputProps('maxDiscount')}
              />
            )}
            <MoneyInput
              label="Smallest purchase"
              currency={currency}
              {...form.getInputProps('minSpend')}
            />
          </SimpleGrid>
          <ProductPicker
            label="Products"
            description="Everything, if none is chosen."
            {...form.getInputProps('productIds')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label="First day" type="date" {...form.getInputProps('startsAt')} />
            <TextInput label="Last day" type="date" {...form.getInputProps('endsAt')} />
            <NumberInput
              label="Uses in all"
              placeholder="Without limit"
              min={1}
              allowDecimal={false}
              hideControls
              {...form.getInputProps('maxUses')}
            />
            <NumberInput
              label="Uses by one customer"
              placeholder="Without limit"
              min={1}
              allowDecimal={false}
              hideControls
              {...form.getInputProps('maxUsesPerCustomer')}
            />
          </SimpleGrid>
        </>
      )}
    </FormModal>
  )
}
