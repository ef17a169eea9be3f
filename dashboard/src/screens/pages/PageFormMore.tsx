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
import { DayInput } from '../../parts/DayInput.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { useDayOf } from '../../parts/days.ts'
import { channelName } from '../../parts/values.tsx'
import { t } from '../../texts/pages.ts'
import { LinkInput } from './LinkInput.tsx'
import type { PartProps } from './PageForm.tsx'
import { PagePicture } from './PagePicture.tsx'

/** Accents of which white writing can be read. */
const SWATCHES = ['#0b5f45', '#7a4b00', '#9c2a1b', '#43369b', '#2e3f7f', '#8a2c5d', '#1e1b15']

export function Looks({ form, own }: PartProps & { own: string | undefined }) {
  return (
    <Card title={t.howItLooks}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <LinkInput form={form} own={own} />
        <ColorInput
          label={t.colour}
          description={t.ofItsButton}
          format="hex"
          swatches={SWATCHES}
          eyeDropperButtonProps={{ 'aria-label': t.takeAColourFromThe }}
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
    <Card title={t.more}>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <MultiSelect
            label={t.waysToPay}
            placeholder={form.values.channels.length === 0 ? t.allThatAreOffered : ''}
            data={['BANK_TRANSFER', 'USSD'].map((value) => ({ value, label: channelName(value) }))}
            clearable
            {...form.getInputProps('channels')}
          />
          <Select
            label={t.whoBearsTheFee}
            placeholder={t.asYourSettingsSay}
            data={[
              { value: 'business', label: t.you },
              { value: 'customer', label: t.thePayerOnTop },
            ]}
            clearable
            {...form.getInputProps('feeBearer')}
            value={form.values.feeBearer || null}
            onChange={(value) => form.setFieldValue('feeBearer', value ?? '')}
          />
          <NumberInput
            label={t.mostPayments}
            min={1}
            allowDecimal={false}
            placeholder={t.withoutLimit}
            {...form.getInputProps('maxPayments')}
          />
          <DayInput label={t.lastDay} {...form.getInputProps('expiresAt')} value={lastDay} />
        </SimpleGrid>
        <Checkbox
          label={t.payersMayUseDiscountCodes}
          {...form.getInputProps('allowDiscountCodes', { type: 'checkbox' })}
        />
        <Textarea
          label={t.messageAfterPaying}
          autosize
          minRows={2}
          maxLength={1000}
          {...form.getInputProps('successMessage')}
        />
        <TextInput
          label={t.addressToGoOnTo}
          description={t.wherePayersAreSentAfter}
          type="url"
          placeholder="https://"
          {...form.getInputProps('redirectUrl')}
        />
      </Stack>
    </Card>
  )
}
