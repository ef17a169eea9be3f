import { Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/settings.ts'
import { Part, SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export const SETTINGS = 'user-service/profile/settings'

export function Business(props: SectionProps) {
  const { about, rules, mayWrite } = props
  return (
    <>
      <Details {...props} />
      <SettingForm
        id="time-zone"
        title={t.timeZone}
        about="When days begin and end: of lists, totals, due dates and settlements. Each mode has its own."
        values={{ timeZone: rules.timeZone }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: ({ timeZone }): UpdateProfileSettingsInput => ({ timeZone }),
          done: t.theTimeZoneIsStored,
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <Select
            label={t.timeZone}
            data={zonesWith(rules.timeZone)}
            searchable
            limit={100}
            maw={420}
            allowDeselect={false}
            nothingFoundMessage={t.noZoneOfThatName}
            {...form.getInputProps('timeZone')}
          />
        )}
      </SettingForm>
      <Part
        id="account"
        title={t.account}
        about="Set by whoever runs this server; you quote the reference when you ask them for help."
      >
        <Facts
          of={{
            [t.reference]: <Copyable text={about.reference} />,
            [t.businessId]: <Copyable text={String(about.businessId)} />,
            [t.status]: <Status of={about.status} />,
            [t.country]: COUNTRIES.of(about.country) ?? about.country,
            [t.currency]: about.currency,
            [t.since]: <When at={about.createdAt} />,
          }}
        />
      </Part>
    </>
  )
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' })

function Details({ about, mayOwn }: SectionProps) {
  return (
    <SettingForm
      id="details"
      title={t.details}
      about="What you are called on bank accounts that payers pay into, and where we reach you. What payers see can be named otherwise under Branding."
      values={{
        name: about.businessName,
        email: about.email ?? '',
        phone: about.phone ?? '',
        firstName: about.firstName ?? '',
        lastName: about.lastName ?? '',
      }}
      action={{ path: '/console/business', done: t.theDetailsAreStored }}
      mayWrite={mayOwn}
      validate={{
        name: (name: string) => (name.trim() ? null : t.whatIsYourBusinessCalled),
      }}
    >
      {(form) => (
        <>
          <TextInput
            label={t.nameOfTheBusiness}
            required
            maxLength={200}
            autoComplete="organization"
            {...form.getInputProps('name')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <TextInput
              label={t.eMailAddress}
              type="email"
              description={t.whereWeWriteAboutYour}
              inputWrapperOrder={ORDER}
              {...form.getInputProps('email')}
            />
            <TextInput label={t.phone} type="tel" {...form.getInputProps('phone')} />
            <TextInput
              label={t.firstName}
              description={t.ofThePersonBehindIt}
              inputWrapperOrder={ORDER}
              maxLength={100}
              {...form.getInputProps('firstName')}
            />
            <TextInput label={t.lastName} maxLength={100} {...form.getInputProps('lastName')} />
          </SimpleGrid>
          {!mayOwn && (
            <Text size="sm" c="dimmed">
              {t.ownersAndAdminsChangeThese}
            </Text>
          )}
        </>
      )}
    </SettingForm>
  )
}

/** Below the field, so that fields beside each other stand on one line. */
export const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
]

/** What the browser knows, and the one in use, which it may call by another name. */
const zonesWith = (used: string): string[] => [
  ...new Set([used, ...Intl.supportedValuesOf('timeZone')]),
]
