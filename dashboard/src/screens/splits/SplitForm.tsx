import { Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'

interface Values extends Record<string, unknown> {
  name: string
  slug: string
  splitType: string
  feeBearer: string
  status: boolean
}

/** Stands for "as the settings of the business say". */
const AS_BUSINESS = 'as-business'

const BEARERS = [
  { value: AS_BUSINESS, label: 'As your settings say' },
  { value: 'business', label: 'You' },
  { value: 'customer', label: 'The payer' },
  { value: 'subaccounts', label: 'The subaccounts' },
]

const valuesOf = (of: SplitPage | undefined): Values => ({
  name: of?.name ?? '',
  slug: of?.slug ?? '',
  splitType: of?.splitType ?? 'percentage',
  feeBearer: of?.feeBearer ?? AS_BUSINESS,
  status: of?.status ?? true,
})

/** Makes a split page, or changes one; its shares are given on its own screen. */
export function SplitForm({
  of,
  opened,
  onClose,
  onDone,
}: {
  /** The one to change; none to make one. */
  of?: SplitPage
  opened: boolean
  onClose(): void
  /** With its id. */
  onDone?(id: number): void
}) {
  return (
    <FormModal<Values>
      title={of ? 'Change the split page' : 'New split page'}
      opened={opened}
      onClose={onClose}
      initial={valuesOf(of)}
      edits={
        of && {
          path: `transaction-service/split-page/${of.id}`,
          valuesOf: ({ data }: Envelope<SplitPage>) => valuesOf(data),
          labels: { slug: 'Link', splitType: 'Shares', status: 'Active' },
        }
      }
      action={{
        path: of ? `transaction-service/split-page/${of.id}` : 'transaction-service/split-page',
        method: of ? 'PUT' : 'POST',
        send: (values) => inputOf(values, of),
        done: of ? 'The split page is changed.' : 'The split page is there.',
        // Whether it takes payments; what else was changed with it stays.
        undo: ({ status }) => {
          if (!of || status === of.status) return undefined
          const path = `transaction-service/split-page/${of.id}`
          const says = `${of.name} is ${of.status ? 'active' : 'inactive'} again.`
          return { path, method: 'PUT', body: { status: of.status }, says }
        },
      }}
      validate={{ name: (name) => (name.trim() ? null : 'It needs a name.') }}
      verb={of ? 'Save the changes' : 'Make the split page'}
      onDone={(answer) => onDone?.((answer as Envelope<SplitPage>).data.id)}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="Payers read it on the page."
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Link"
            description="3 to 64 small letters, digits and dashes. Made from the name if you leave it out."
            leftSection="/pay/"
            leftSectionWidth={54}
            maxLength={64}
            {...form.getInputProps('slug')}
          />
          {(of?.subaccounts.length ?? 0) === 0 && (
            <Radio.Group label="Shares" {...form.getInputProps('splitType')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="percentage"
                  label="In percent"
                  description="Each gets a part of whatever is paid."
                />
                <Radio
                  value="fixed"
                  label="Fixed amounts"
                  description="Each gets the same amount of every payment."
                />
              </Stack>
            </Radio.Group>
          )}
          <Select
            label="Who bears the fee"
            data={BEARERS}
            allowDeselect={false}
            {...form.getInputProps('feeBearer')}
          />
          <Switch
            label="Active"
            description="An inactive page takes no payments."
            {...form.getInputProps('status', { type: 'checkbox' })}
          />
        </>
      )}
    </FormModal>
  )
}

function inputOf({ name, slug, splitType, feeBearer, status }: Values, of: SplitPage | undefined) {
  const isAsBusiness = feeBearer === AS_BUSINESS
  return {
    name: name.trim(),
    status,
    ...(slug && slug !== of?.slug && { slug }),
    ...(splitType !== of?.splitType && { splitType }),
    ...(isAsBusiness ? of && { feeBearer: null } : { feeBearer }),
  }
}
