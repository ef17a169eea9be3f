import { Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { AddOne, TakeOut } from '../../parts/several.tsx'
import { t } from '../../texts/invoices.ts'
import type { PartProps } from './InvoiceForm.tsx'
import { newLine } from './values.ts'

/** What is billed, line by line; their sum is the amount. */
export function Lines({ form, isDraft, currency }: PartProps & { currency: string }) {
  const { lineItems } = form.values
  return (
    <Stack gap="sm">
      {lineItems.map(({ key }, i) => (
        <Group key={key} align="flex-start" gap="xs" role="group" aria-label={t.line(i + 1)}>
          <TextInput
            label={t.what}
            disabled={!isDraft}
            style={{ flex: '3 1 11rem' }}
            {...form.getInputProps(`lineItems.${i}.name`)}
          />
          <NumberInput
            label={t.quantity}
            min={1}
            allowDecimal={false}
            hideControls
            disabled={!isDraft}
            style={{ flex: '1 1 4rem' }}
            {...form.getInputProps(`lineItems.${i}.quantity`)}
          />
          <MoneyInput
            label={t.each}
            currency={currency}
            disabled={!isDraft}
            style={{ flex: '2 1 7rem' }}
            {...form.getInputProps(`lineItems.${i}.unitAmount`)}
          />
          {isDraft && (
            <TakeOut what={`line ${i + 1}`} onClick={() => form.removeListItem('lineItems', i)} />
          )}
        </Group>
      ))}
      {isDraft && (
        <AddOne
          label={lineItems.length === 0 ? t.listWhatItIsFor : t.addALine}
          onClick={() => form.insertListItem('lineItems', newLine())}
        />
      )}
    </Stack>
  )
}
