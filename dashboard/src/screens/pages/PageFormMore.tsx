import {
  Checkbox,
  ColorInput,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { useDayOf } from '../../parts/days.ts'
import { channelName } from '../../parts/values.tsx'
import { LinkInput } from './LinkInput.tsx'
import type { PartProps } from './PageForm.tsx'
import { PagePicture } from './PagePicture.tsx'

/** Accents of which white writing can be read. */
const SWATCHES = ['#0b5f45', '#7a4b00', '#9c2a1b', '#43369b', '#2e3f7f', '#8a2c5d', '#1e1b15']

export function Looks({ form, own }: PartProps & { own: string | undefined }) {
  return (
    <Card title="How it looks">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <LinkInput form={form} own={own} />
        <ColorInput
          label="Colour"
          description="Of its button."
          format="hex"
          swatches={SWATCHES}
          eyeDropperButtonProps={{ 'aria-label': 'Take a colour from the screen' }}
          {...form.getInputProps('color')}
        />
      </SimpleGrid>
      <div style={{ marginTop: 'var(--s4)' }}>
        <PagePicture form={form} />
      </div>
    </Card>
  )
}

export function More({ form }: PartProps) {
  const dayOf = useDayOf()
  const { expiresAt } = form.values
  // As it was read it is a moment, as it is chosen a day.
  const lastDay = expiresAt.includes('T') ? dayOf(expiresAt, true) : expiresAt
  return (
    <Card title="More">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <MultiSelect
            label="Ways to pay"
            placeholder={form.values.channels.length === 0 ? 'All that are offered' : ''}
            data={['BANK_TRANSFER', 'USSD'].map((value) => ({ value, label: channelName(value) }))}
            clearable
            {...form.getInputProps('channels')}
          />
          <Select
            label="Who bears the fee"
            placeholder="As your settings say"
            data={[
              { value: 'business', label: 'You' },
              { value: 'customer', label: 'The payer, on top' },
            ]}
            clearable
            {...form.getInputProps('feeBearer')}
            value={form.values.feeBearer || null}
            onChange={(value) => form.setFieldValue('feeBearer', value ?? '')}
          />
          <NumberInput
            label="Most payments"
            min={1}
            allowDecimal={false}
            placeholder="Without limit"
            {...form.getInputProps('maxPayments')}
          />
          <TextInput
            label="Last day"
            type="date"
            {...form.getInputProps('expiresAt')}
            value={lastDay}
          />
        </SimpleGrid>
        <Checkbox
          label="Payers may use discount codes"
          {...form.getInputProps('allowDiscountCodes', { type: 'checkbox' })}
        />
        <Textarea
          label="Message after paying"
          autosize
          minRows={2}
          maxLength={1000}
          {...form.getInputProps('successMessage')}
        />
        <TextInput
          label="Address to go on to"
          description="Where payers are sent after paying: on a site named in your settings."
          type="url"
          placeholder="https://"
          {...form.getInputProps('redirectUrl')}
        />
      </Stack>
    </Card>
  )
}
