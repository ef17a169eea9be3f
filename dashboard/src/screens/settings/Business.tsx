import { Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
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
        title="Time zone"
        about="When days begin and end: of lists, totals, due dates and settlements. Each mode has its own."
        values={{ timeZone: rules.timeZone }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: ({ timeZone }): UpdateProfileSettingsInput => ({ timeZone }),
          done: 'The time zone is stored.',
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <Select
            label="Time zone"
            data={zonesWith(rules.timeZone)}
            searchable
            limit={100}
            maw={420}
            allowDeselect={false}
            nothingFoundMessage="No zone of that name"
            {...form.getInputProps('timeZone')}
          />
        )}
      </SettingForm>
      <Part
        id="account"
        title="Account"
        about="Set by whoever runs this server; you quote the reference when you ask them for help."
      >
        <Facts
          of={{
            Reference: <Copyable text={about.reference} />,
            'Business ID': <Copyable text={String(about.businessId)} />,
            Status: <Status of={about.status} />,
            Country: COUNTRIES.of(about.country) ?? about.country,
            Currency: about.currency,
            Since: <When at={about.createdAt} />,
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
      title="Details"
      about="What you are called on bank accounts that payers pay into, and where we reach you. What payers see can be named otherwise under Branding."
      values={{
        name: about.businessName,
        email: about.email ?? '',
        phone: about.phone ?? '',
        firstName: about.firstName ?? '',
        lastName: about.lastName ?? '',
      }}
      action={{ path: '/console/business', done: 'The details are stored.' }}
      mayWrite={mayOwn}
      validate={{
        name: (name: string) => (name.trim() ? null : 'What is your business called?'),
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="Name of the business"
            required
            maxLength={200}
            autoComplete="organization"
            {...form.getInputProps('name')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <TextInput
              label="E-mail address"
              type="email"
              description="Where we write about your keys and webhooks."
              inputWrapperOrder={ORDER}
              {...form.getInputProps('email')}
            />
            <TextInput label="Phone" type="tel" {...form.getInputProps('phone')} />
            <TextInput
              label="First name"
              description="Of the person behind it."
              inputWrapperOrder={ORDER}
              maxLength={100}
              {...form.getInputProps('firstName')}
            />
            <TextInput label="Last name" maxLength={100} {...form.getInputProps('lastName')} />
          </SimpleGrid>
          {!mayOwn && (
            <Text size="sm" c="dimmed">
              Owners and admins change these.
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
