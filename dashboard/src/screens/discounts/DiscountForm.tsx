import { NumberInput, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core'
import type { DiscountCode } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { DayInput } from '../../parts/DayInput.tsx'
import { useDayOf } from '../../parts/days.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { ProductPicker } from '../../parts/ProductPicker.tsx'
import { t as own } from '../../texts/discounts.ts'
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
      title={code ? own.editCode(code.code) : own.newDiscountCode}
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
        done: code ? t.action.saved : own.theCodeCanBeUsed,
      }}
      validate={{
        code: (text) => (/^[A-Za-z0-9_-]{3,32}$/.test(text) ? null : own.threeTo32LettersDigits),
        value: (value, { type }) =>
          Number(value) > 0 && (type === 'fixed' || Number(value) <= 100)
            ? null
            : type === 'fixed'
              ? own.mustBeMoreThanZero
              : own.moreThan0AndAt,
      }}
      verb={code ? t.action.save : own.createTheCode}
    >
      {(form) => (
        <>
          <TextInput
            label={own.code}
            description={own.whatBuyersTypeSmallAnd}
            required
            data-autofocus
            maxLength={32}
            styles={{ input: { textTransform: 'uppercase' } }}
            {...form.getInputProps('code')}
          />
          <SegmentedControl
            aria-label={own.whatComesOff}
            data={[
              { value: 'percentage', label: own.percent },
              { value: 'fixed', label: own.anAmount },
            ]}
            {...form.getInputProps('type')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {form.values.type === 'fixed' ? (
              <MoneyInput
                label={own.comesOff}
                required
                currency={currency}
                {...form.getInputProps('value')}
              />
            ) : (
              <NumberInput
                label={own.comesOff}
                required
                suffix="%"
                min={0}
                max={100}
                decimalScale={2}
                hideControls
                {...form.getInputProps('value')}
              />
            )}
            {form.values.type === 'percentage' && (
              <MoneyInput
                label={own.largestDiscount}
                currency={currency}
                {...form.getInputProps('maxDiscount')}
              />
            )}
            <MoneyInput
              label={own.smallestPurchase}
              currency={currency}
              {...form.getInputProps('minSpend')}
            />
          </SimpleGrid>
          <ProductPicker
            label={own.products}
            description={own.everythingIfNoneIsChosen}
            {...form.getInputProps('productIds')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <DayInput label={own.firstDay} {...form.getInputProps('startsAt')} />
            <DayInput label={own.lastDay} {...form.getInputProps('endsAt')} />
            <NumberInput
              label={own.usesInAll}
              placeholder={own.withoutLimit}
              min={1}
              allowDecimal={false}
              hideControls
              {...form.getInputProps('maxUses')}
            />
            <NumberInput
              label={own.usesByOneCustomer}
              placeholder={own.withoutLimit}
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
