import { ActionIcon, Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import type { PartProps } from './InvoiceForm.tsx'
import { newLine } from './values.ts'

/** What is billed, line by line; their sum is the amount. */
export function Lines({ form, isDraft, currency }: PartProps & { currency: string }) {
  const { lineItems } = form.values
  return (
    <Stack gap="sm">
      {lineItems.map(({ key }, i) => (
        <Group key={key} align="flex-start" gap="xs" role="group" aria-label={`Line ${i + 1}`}>
          <TextInput
            label="What"
            disabled={!isDraft}
            style={{ flex: '3 1 11rem' }}
            {...form.getInputProps(`lineItems.${i}.name`)}
          />
          <NumberInput
            label="Quantity"
            min={1}
            allowDecimal={false}
            hideControls
            disabled={!isDraft}
            style={{ flex: '1 1 4rem' }}
            {...form.getInputProps(`lineItems.${i}.quantity`)}
          />
          <MoneyInput
            label="Each"
            currency={currency}
            disabled={!isDraft}
            style={{ flex: '2 1 7rem' }}
            {...form.getInputProps(`lineItems.${i}.unitAmount`)}
          />
          {isDraft && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              mt={25}
              aria-label={`Take out line ${i + 1}`}
              onClick={() => form.removeListItem('lineItems', i)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {isDraft && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => form.insertListItem('lineItems', newLine())}
          >
            {lineItems.length === 0 ? 'List what it is for' : 'Add a line'}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
