import { Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { pick } from '../../../api/fields.ts'
import { act } from '../../../api/hooks.ts'
import { Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Status } from '../../../ui/values.tsx'
import { SettingForm, SettingsPart } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Business(props: SectionProps) {
  const { about, rules, mayWrite } = props
  return (
    <>
      <Details {...props} />
      <SettingForm
        id="time-zone"
        title="Time zone"
        about="Sets when a day starts in lists, totals, due dates and settlements. Test and live mode have separate settings."
        values={{ timeZone: rules.timeZone }}
        action={act('update_profile_settings', {
          input: ({ timeZone }: { timeZone: string }) => ({ timeZone }),
          done: 'Time zone saved.',
        })}
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
            nothingFoundMessage="No time zone with that name"
            {...form.field('timeZone')}
          />
        )}
      </SettingForm>
      <SettingsPart
        id="account"
        title="Account"
        about="Set by the operator of this server. Quote the reference when you ask them for help."
      >
        <Facts>
          <Fact label="Reference" copy={about.reference} />
          <Fact label="Business ID" copy={String(about.businessId)} />
          <Fact label="Status" value={<Status of={about.status} />} />
          <Fact label="Country" value={COUNTRIES.of(about.country) ?? about.country} />
          <Fact label="Currency" value={about.currency} />
          <Fact label="Created" at={about.createdAt} />
        </Facts>
      </SettingsPart>
    </>
  )
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' })

function Details({ about, mayOwn }: SectionProps) {
  const stored = {
    name: about.businessName,
    email: about.email ?? '',
    phone: about.phone ?? '',
    firstName: about.firstName ?? '',
    lastName: about.lastName ?? '',
  }
  return (
    <SettingForm
      id="details"
      title="Details"
      about="Your business name, as shown on the bank accounts that payers send money to, and your contact details. You can show payers a different name under Branding."
      values={stored}
      action={act('change_business', {
        // The other fields may have been changed by someone else.
        input: (values: typeof stored) => pick(values, (name) => values[name] !== stored[name]),
        done: 'Details saved.',
      })}
      mayWrite={mayOwn}
      validate={{
        name: (name: string) => (name.trim() ? null : 'Enter the name of your business.'),
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="Business name"
            required
            maxLength={200}
            autoComplete="organization"
            {...form.field('name')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <TextInput
              label="Email address"
              type="email"
              description="We use this address to email you about your keys and webhooks. Customers see this address unless you add support contacts under Branding."
              inputWrapperOrder={ORDER}
              {...form.field('email')}
            />
            <TextInput label="Phone number" type="tel" {...form.field('phone')} />
            <TextInput
              label="First name"
              description="Contact person."
              inputWrapperOrder={ORDER}
              maxLength={100}
              {...form.field('firstName')}
            />
            <TextInput label="Last name" maxLength={100} {...form.field('lastName')} />
          </SimpleGrid>
          {!mayOwn && (
            <Text size="sm" c="dimmed">
              Only owners and admins can change these settings.
            </Text>
          )}
        </>
      )}
    </SettingForm>
  )
}

/** Puts the description below the input, so that inputs next to each other line up. */
export const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
]

/**
 * Returns the time zones that the browser supports. Adds the current one, because the browser may
 * have a different name for it.
 */
const zonesWith = (used: string): string[] => [
  ...new Set([used, ...Intl.supportedValuesOf('timeZone')]),
]
