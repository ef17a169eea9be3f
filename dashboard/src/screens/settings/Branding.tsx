import {
  Button,
  ColorInput,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { IconFileDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { accentInks } from '../../../../src/pages/accent.ts'
import { download } from '../../api/download.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Failure, LoadingParts } from '../../parts/states.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { t } from '../../texts/settings.ts'
import { ORDER } from './Business.tsx'
import { type Chosen, LogoField } from './LogoField.tsx'
import { Preview } from './Preview.tsx'
import { changedIn, Part, SaveRow, useFollowed } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export interface Stored {
  name: string | null
  supportEmail: string | null
  supportPhone: string | null
  website: string | null
  address: string | null
  accentColor: string | null
  logo: { path: string; width: number; height: number } | null
  /** What payers see where the branding says nothing. */
  unless: { name: string; email: string | null; phone: string | null }
  updatedAt: string | null
}

export interface BrandingValues extends Record<string, unknown> {
  name: string
  supportEmail: string
  supportPhone: string
  website: string
  address: string
  accentColor: string
  /** Null goes. */
  logo: Chosen | null | 'as stored'
}

const PATH = '/console/branding'

export function Branding({ mayOwn }: SectionProps) {
  const { data, error, isPending, refetch } = useRead<Envelope<Stored>>(PATH)
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
  useFollowed(form, valuesOf(of))
  const { submit, says, isPending } = useSubmit<BrandingValues>(
    form,
    {
      path: PATH,
      send: ({ logo }) => {
        const { logo: _, ...texts } = changedIn(form)
        if (logo === 'as stored') return texts
        return { ...texts, logo: logo === null ? null : logo.base64 }
      },
      done: t.payersSeeItFromNow,
    },
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
                {t.ownersAndAdminsChangeThese}
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
  form: UseFormReturnType<BrandingValues>
  of: Stored
}

/** Colours of which white letters can be read. */
const SWATCHES = ['#0b5f45', '#0a6b8a', '#2e3f7f', '#43369b', '#8a2c5d', '#9c2a1b', '#7a4b00']

function Mark({ form, of }: PartProps) {
  const { accentColor } = form.values
  return (
    <Part
      id="mark"
      title={t.nameLogoAndColour}
      about="On every page that payers see, on invoices and receipts, and in mails to customers."
    >
      <Stack gap="md">
        <TextInput
          label={t.nameThatPayersSee}
          placeholder={of.unless.name}
          description={t.unlessYouWriteAnother(of.unless.name)}
          inputWrapperOrder={ORDER}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <LogoField
          stored={of.logo}
          chosen={form.values.logo}
          error={form.errors.logo}
          onChange={(logo) => {
            form.clearFieldError('logo')
            form.setFieldValue('logo', logo)
          }}
          onFault={(fault) => form.setFieldError('logo', fault)}
        />
        <ColorInput
          label={t.colour}
          placeholder={t.theGreenOfThesePages}
          format="hex"
          maw={280}
          swatches={SWATCHES}
          swatchesPerRow={7}
          // Its own has sliders that nobody hears the names of; the browser's has none of that.
          withPicker={false}
          leftSection={
            <input
              type="color"
              className="color-well"
              aria-label={t.chooseAnyColour}
              value={accentInks(accentColor) ? accentColor : '#0b5f45'}
              onChange={({ currentTarget }) =>
                form.setFieldValue('accentColor', currentTarget.value)
              }
            />
          }
          eyeDropperButtonProps={{ 'aria-label': t.takeAColourFromThe }}
          {...form.getInputProps('accentColor')}
        />
        <Inks color={accentColor} />
      </Stack>
    </Part>
  )
}

/** What becomes of a colour: pages darken or lighten it until it can be read. */
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
            {scheme === 'light' ? t.lightPages : t.darkPages}
          </span>
        ))}
      </Group>
      <Text size="sm" c="dimmed" mt={6}>
        {isPale ? t.tooPaleToBeRead(inks.light.accent) : t.whatIsWrittenOnIt}
      </Text>
    </div>
  )
}

function Contacts({ form, of }: PartProps) {
  const { email, phone } = of.unless
  return (
    <Part id="contacts" title={t.whomToAsk} about="At the foot of pages and mails, and on papers.">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label={t.eMailForQuestions}
          type="email"
          placeholder={email ?? 'help@shop.example'}
          {...form.getInputProps('supportEmail')}
        />
        <TextInput
          label={t.phoneForQuestions}
          type="tel"
          placeholder={phone ?? '+234 …'}
          {...form.getInputProps('supportPhone')}
        />
        <TextInput
          label={t.website}
          type="url"
          placeholder="https://shop.example"
          {...form.getInputProps('website')}
        />
      </SimpleGrid>
    </Part>
  )
}

function Paper({ form }: Pick<PartProps, 'form'>) {
  const paper = useMutation({ mutationFn: () => download('/console/branding/paper') })
  return (
    <Part
      id="papers"
      title={t.onPaper}
      about="Invoices and receipts as PDF."
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFileDownload size={16} />}
          loading={paper.isPending}
          onClick={() => paper.mutate()}
        >
          {t.sampleInvoice}
        </Button>
      }
    >
      <Textarea
        label={t.address}
        description={t.upToSixLines}
        inputWrapperOrder={ORDER}
        autosize
        minRows={3}
        maxRows={6}
        maxLength={300}
        autoComplete="street-address"
        placeholder={t.n12BroadStreetLagosIsland}
        {...form.getInputProps('address')}
      />
    </Part>
  )
}
