import {
  Button,
  ColorInput,
  FileButton,
  Group,
  Input,
  Loader,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFileDownload, IconPhoto } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { accentInks } from '../../../../../src/pages/accent.ts'
import { download } from '../../../api/download.ts'
import { pick } from '../../../api/fields.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import type { Branding as Stored } from '../../../api/operations.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Failure, LoadingParts } from '../../../ui/feedback.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { PageThumbnail, PHONE } from '../../../ui/PageThumbnail.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'
import { ORDER } from './Business.tsx'
import { SaveRow, SettingsPart, useLatestValues } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

interface BrandingValues extends Record<string, unknown> {
  name: string
  supportEmail: string
  supportPhone: string
  website: string
  address: string
  accentColor: string
  /** Null removes the logo. */
  logo: Chosen | null | 'as stored'
}

export function Branding({ mayOwn }: SectionProps) {
  const { data, error, isPending, refetch } = useOperation('get_branding')
  if (isPending) return <LoadingParts />
  if (!data) {
    return (
      <div className="card">
        <Failure level={2} error={error} again={() => void refetch()} />
      </div>
    )
  }
  return <Form of={data.data} mayWrite={mayOwn} />
}

const valuesOf = (of: Stored): BrandingValues => ({
  name: of.name ?? '',
  supportEmail: of.supportEmail ?? '',
  supportPhone: of.supportPhone ?? '',
  website: of.website ?? '',
  address: of.address ?? '',
  accentColor: of.accentColor ?? '',
  logo: 'as stored',
})

function Form({ of, mayWrite }: { of: Stored; mayWrite: boolean }) {
  const form = useForm<BrandingValues>({ initialValues: valuesOf(of) })
  useLatestValues(form, valuesOf(of))
  const { submit, says, isPending } = useSubmit(
    form,
    act('change_branding', {
      input: ({ logo, ...values }: BrandingValues) => {
        const { name, supportEmail, supportPhone, website, address, accentColor } = values
        const texts = { name, supportEmail, supportPhone, website, address, accentColor }
        // The other fields may have been changed by someone else.
        const changed = pick(texts, (field) => form.isDirty(field))
        if (logo === 'as stored') return changed
        return { ...changed, logo: logo === null ? null : logo.base64 }
      },
      done: 'Branding saved.',
    }),
    (_answer, values) => {
      form.setFieldValue('logo', 'as stored')
      form.resetDirty({ ...values, logo: 'as stored' })
    },
  )
  return (
    <div className="branding">
      <form onSubmit={submit} noValidate>
        <fieldset disabled={!mayWrite} className="bare">
          <Stack gap="lg">
            {says}
            {!mayWrite && (
              <Text size="sm" c="dimmed">
                Only owners and admins can change these settings.
              </Text>
            )}
            <Mark form={form} of={of} />
            <Contacts form={form} of={of} />
            <Paper form={form} />
            {mayWrite && <SaveRow form={form} isPending={isPending} what="Branding" />}
          </Stack>
        </fieldset>
      </form>
      <Preview values={form.values} />
    </div>
  )
}

interface PartProps {
  form: FormState<BrandingValues>
  of: Stored
}

/** Colours on which white text is readable. */
const SWATCHES = ['#0b5f45', '#0a6b8a', '#2e3f7f', '#43369b', '#8a2c5d', '#9c2a1b', '#7a4b00']

function Mark({ form, of }: PartProps) {
  const { accentColor } = form.values
  return (
    <SettingsPart
      id="mark"
      title="Name, logo and colour"
      about="Shown on every page that payers see, on invoices and receipts, and in emails to customers."
    >
      <Stack gap="md">
        <TextInput
          label="Name shown to payers"
          placeholder={of.unless.name}
          description={`Leave blank to use ${of.unless.name}.`}
          inputWrapperOrder={ORDER}
          maxLength={100}
          {...form.field('name')}
        />
        <LogoField
          stored={of.logo}
          chosen={form.values.logo}
          error={form.field('logo').error}
          onChange={(logo) => {
            form.clearFieldError('logo')
            form.setFieldValue('logo', logo)
          }}
          onFault={(fault) => form.setFieldError('logo', fault)}
        />
        <ColorInput
          label="Colour"
          placeholder="Default green"
          format="hex"
          maw={280}
          swatches={SWATCHES}
          swatchesPerRow={7}
          // Mantine's sliders have no accessible names, so this uses the browser's colour picker.
          withPicker={false}
          leftSection={
            <input
              type="color"
              className="color-well"
              aria-label="Choose any colour"
              value={accentInks(accentColor) ? accentColor : '#0b5f45'}
              onChange={({ currentTarget }) =>
                form.setFieldValue('accentColor', currentTarget.value)
              }
            />
          }
          eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
          {...form.field('accentColor')}
        />
        <Inks color={accentColor} />
      </Stack>
    </SettingsPart>
  )
}

/** Shows how pages darken or lighten the colour, so that text on it stays readable. */
function Inks({ color }: { color: string }) {
  const inks = accentInks(color)
  if (!inks) return null
  const wanted = color.toLowerCase()
  const isPale = inks.light.accent !== wanted
  return (
    <div>
      <Group gap="xs">
        {(['light', 'dark'] as const).map((scheme) => (
          <span
            key={scheme}
            className="ink"
            style={{ background: inks[scheme].accent, color: inks[scheme].onAccent }}
          >
            {scheme === 'light' ? 'Light pages' : 'Dark pages'}
          </span>
        ))}
      </Group>
      <Text size="sm" c="dimmed" mt={6}>
        {isPale
          ? `This colour is too pale to read on light pages, so those pages use ${inks.light.accent}.`
          : 'We use white or black text, whichever is easier to read.'}
      </Text>
    </div>
  )
}

function Contacts({ form, of }: PartProps) {
  const { email, phone } = of.unless
  return (
    <SettingsPart
      id="contacts"
      title="Support contacts"
      about="Shown at the bottom of pages and emails, and on PDFs."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label="Email address"
          type="email"
          placeholder={email ?? 'help@shop.example'}
          {...form.field('supportEmail')}
        />
        <TextInput
          label="Phone number"
          type="tel"
          placeholder={phone ?? '+234 …'}
          {...form.field('supportPhone')}
        />
        <TextInput
          label="Website"
          type="url"
          placeholder="https://shop.example"
          {...form.field('website')}
        />
      </SimpleGrid>
    </SettingsPart>
  )
}

function Paper({ form }: Pick<PartProps, 'form'>) {
  const paper = useMutation({ mutationFn: () => download(at('download_branding_sample').path) })
  return (
    <SettingsPart
      id="papers"
      title="PDF documents"
      about="Shown on PDF invoices and receipts."
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFileDownload size={16} />}
          loading={paper.isPending}
          onClick={() => paper.mutate()}
        >
          Download sample
        </Button>
      }
    >
      <Textarea
        label="Address"
        description="Up to six lines."
        inputWrapperOrder={ORDER}
        autosize
        minRows={3}
        maxRows={6}
        maxLength={300}
        autoComplete="street-address"
        placeholder={'12 Broad Street\nLagos Island, Lagos'}
        {...form.field('address')}
      />
    </SettingsPart>
  )
}

const TYPES = 'image/png,image/jpeg,image/webp'
const BYTES_MAX = 512 * 1024

/** A chosen image that has not been saved yet. */
interface Chosen {
  base64: string
  width: number
  height: number
}

interface LogoFieldProps {
  stored: { path: string } | null
  chosen: Chosen | null | 'as stored'
  error?: ReactNode
  onChange(chosen: Chosen | null | 'as stored'): void
  onFault(fault: string): void
}

function LogoField({ stored, chosen, error, onChange, onFault }: LogoFieldProps) {
  const shown = chosen === 'as stored' ? stored?.path : chosen?.base64
  const take = async (file: File | null) => {
    if (!file) return
    if (file.size > BYTES_MAX) return onFault('The logo must be at most 512 KB.')
    try {
      onChange(await read(file))
    } catch {
      onFault('The logo must be a PNG, JPEG or WebP image.')
    }
  }
  return (
    <Input.Wrapper
      labelElement="div"
      label="Logo"
      description="PNG, JPEG or WebP, up to 512 KB. Dark pages show the logo on a white background."
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error}
    >
      <Group gap="md" mt={4} mb={6}>
        <div className="logo-place">
          {shown ? (
            <img src={shown} alt="Your logo" />
          ) : (
            <Text span c="dimmed" aria-hidden>
              <IconPhoto size={24} stroke={1.5} />
            </Text>
          )}
        </div>
        <Group gap="xs">
          <FileButton onChange={(file) => void take(file)} accept={TYPES}>
            {(props) => <ActionButton label={shown ? 'Replace logo' : 'Choose logo'} {...props} />}
          </FileButton>
          {shown && (
            <ActionButton
              label="Remove logo"
              variant="subtle"
              color="gray"
              onClick={() => onChange(stored ? null : 'as stored')}
            />
          )}
        </Group>
      </Group>
    </Input.Wrapper>
  )
}

/** Throws if the browser cannot decode the image. */
async function read(file: File): Promise<Chosen> {
  const base64 = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  const image = new Image()
  image.src = base64
  await image.decode()
  return { base64, width: image.naturalWidth, height: image.naturalHeight }
}

const PAGES = [
  { value: 'checkout', label: 'Checkout' },
  { value: 'invoice', label: 'Invoice' },
]
const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const TYPING_MS = 250

/** Previews payer pages, which the server renders with the unsaved values. */
function Preview({ values: { logo, ...change } }: { values: BrandingValues }) {
  const [page, setPage] = useState<'checkout' | 'invoice'>('checkout')
  const [scheme, setScheme] = useState<'light' | 'dark'>('light')
  const [typed] = useDebouncedValue(JSON.stringify(change), TYPING_MS)
  const chosen = logo === 'as stored' ? undefined : logo
  const size = chosen && { width: chosen.width, height: chosen.height }
  const asked = { page, scheme, change: JSON.parse(typed), logo: size }
  const { data, isFetching, isError } = useOperation('preview_branding', asked, {
    keepsPrevious: true,
  })
  const { html = '', unsavedLogo = '' } = data?.data ?? {}
  // Only this browser has an unsaved logo, so it is inserted here.
  const shown = chosen && unsavedLogo ? html.replace(unsavedLogo, chosen.base64) : html
  return (
    <aside aria-label="Preview" className="preview">
      <Group justify="space-between" gap="xs" mb="xs">
        <SegmentedControl
          size="xs"
          data={PAGES}
          value={page}
          onChange={(one) => setPage(one as typeof page)}
          aria-label="Page to preview"
        />
        {isFetching && <Loader size={16} aria-label="Updating preview" />}
        <SegmentedControl
          size="xs"
          data={SCHEMES}
          value={scheme}
          onChange={(one) => setScheme(one as typeof scheme)}
          aria-label="Colour scheme"
        />
      </Group>
      {shown !== '' ? (
        <PageThumbnail html={shown} title={`What payers see: ${page}`} size={PHONE} />
      ) : isError ? (
        <Text size="sm" c="dimmed">
          The preview could not be loaded.
        </Text>
      ) : (
        <Skeleton height={420} />
      )}
      <Text size="sm" c="dimmed" mt="xs">
        What payers see, with sample products.
      </Text>
    </aside>
  )
}
