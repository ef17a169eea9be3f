import {
  Checkbox,
  ColorInput,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPhotoPlus } from '@tabler/icons-react'
import { useId } from 'react'
import { useOperation } from '../../../api/hooks.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { useDayOf } from '../../../ui/days.ts'
import { ShareSelect } from '../../../ui/ShareSelect.tsx'
import { DropZone, IMAGES, Uploads, useUploads } from '../../../ui/uploads.tsx'
import { channelName, imagePath } from '../../../ui/values.tsx'
import type { PartProps } from './PageForm.tsx'
import { LINK } from './values.ts'

/** Accent colours on which white text is readable. */
const SWATCHES = ['#0b5f45', '#7a4b00', '#9c2a1b', '#43369b', '#2e3f7f', '#8a2c5d', '#1e1b15']

export function AppearanceCard({ form, own }: PartProps & { own: string | undefined }) {
  return (
    <Card title="Appearance">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <LinkInput form={form} own={own} />
        <ColorInput
          label="Colour"
          description="Used for the button."
          format="hex"
          swatches={SWATCHES}
          eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
          {...form.field('color')}
        />
      </SimpleGrid>
      <div style={{ marginTop: 'var(--s4)' }}>
        <PagePicture form={form} />
      </div>
    </Card>
  )
}

export function MoreCard({ form }: PartProps) {
  const dayOf = useDayOf()
  const { expiresAt } = form.values
  // A stored value is a point in time, and a newly chosen one is a day.
  const lastDay = expiresAt.includes('T') ? dayOf(expiresAt, true) : expiresAt
  return (
    <Card title="More">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <MultiSelect
            label="Payment methods"
            placeholder={form.values.channels.length === 0 ? 'All available' : ''}
            data={['BANK_TRANSFER', 'USSD', 'CARD'].map((value) => ({
              value,
              label: channelName(value),
            }))}
            clearable
            {...form.field('channels')}
          />
          <Select
            label="Fee paid by"
            placeholder="Default"
            data={[
              { value: 'business', label: 'You' },
              { value: 'customer', label: 'The payer' },
            ]}
            clearable
            {...form.field('feeBearer')}
            value={form.values.feeBearer || null}
            onChange={(value) => form.setFieldValue('feeBearer', value ?? '')}
          />
          <NumberInput
            label="Payment limit"
            min={1}
            allowDecimal={false}
            placeholder="Unlimited"
            {...form.field('maxPayments')}
          />
          <DayInput label="Expires" {...form.field('expiresAt')} value={lastDay} />
        </SimpleGrid>
        <ShareSelect {...form.field('share')} />
        <Checkbox label="Allow discount codes" {...form.checkbox('allowDiscountCodes')} />
        <Textarea
          label="Confirmation message"
          autosize
          minRows={2}
          maxLength={1000}
          {...form.field('successMessage')}
        />
        <TextInput
          label="Redirect URL"
          description="Payers go here after paying. The website must be listed in your settings."
          type="url"
          placeholder="https://"
          {...form.field('redirectUrl')}
        />
      </Stack>
    </Card>
  )
}

/** Checks whether the link is available as the user types. */
function LinkInput({ form, own }: PartProps & { own: string | undefined }) {
  const { customLink } = form.values
  const [asked] = useDebouncedValue(customLink, 300)
  const isAsked = LINK.test(asked) && asked !== own
  const state = useOperation(
    'check_custom_link',
    { customLink: asked },
    { enabled: isAsked && asked === customLink },
  )
  const known = isAsked && asked === customLink
  const found = known ? state.data?.data : undefined
  const { error, ...props } = form.field('customLink')
  const taken = found && !found.available ? 'Another page already uses this link.' : undefined
  return (
    <div>
      <TextInput
        label="Link"
        description={
          found?.available
            ? 'This link is available.'
            : 'The last part of the page’s URL. Leave blank to create it from the title.'
        }
        placeholder="ankara-sale"
        {...props}
        error={error ?? taken}
      />
      {taken && found!.suggestions.length > 0 && (
        <Group gap={4} mt={4}>
          <Text size="xs" c="dimmed">
            Available:
          </Text>
          {found!.suggestions.map((link) => (
            <ActionButton
              label={link}
              key={link}
              size="compact-xs"
              onClick={() => form.setFieldValue('customLink', link)}
            />
          ))}
        </Group>
      )}
    </div>
  )
}

/** The image is uploaded at once, and appears on the page when the page is saved. */
function PagePicture({ form }: PartProps) {
  const id = useId()
  const uploads = useUploads(`pages/picture/${id}`, {
    ...IMAGES,
    ...at('upload_payment_page_image'),
    onDone: (answer) => form.setFieldValue('image', (answer as { data: { url: string } }).data.url),
  })
  const { image } = form.values
  const shown = imagePath(image)
  return (
    <Input.Wrapper
      label="Image"
      description="Shown above the title. Wide images look best."
      error={form.field('image').error}
      labelElement="div"
    >
      {image ? (
        <div className="page-picture" style={{ marginTop: 8 }}>
          {shown ? <img src={shown} alt="Page cover" /> : <span className="breaks">{image}</span>}
          <DropZone
            verb="Replace image"
            icon={<IconPhotoPlus size={14} />}
            says=""
            types={IMAGES.types}
            multiple={false}
            onFiles={uploads.add}
          />
          <ActionButton
            label="Remove image"
            variant="subtle"
            size="xs"
            color="gray"
            onClick={() => form.setFieldValue('image', '')}
          />
        </div>
      ) : (
        <div style={{ marginTop: 8 }}>
          <DropZone
            verb="Choose an image"
            icon={<IconPhotoPlus size={14} />}
            says={IMAGES.says.replace(' each', '')}
            types={IMAGES.types}
            multiple={false}
            onFiles={uploads.add}
          />
        </div>
      )}
      <Uploads {...uploads} />
    </Input.Wrapper>
  )
}
