import { Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { SplitPage } from '../../../../../sdk/src/operations.ts'
import { withoutNull } from '../../../api/fields.ts'
import { act, type Envelope } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { Copyable, money, Status, When } from '../../../ui/values.tsx'

export function Splits() {
  const may = usePermission()
  const go = useGo()
  const [isMaking, making] = useNewParam()
  const make = may('split_pages:write') && (
    <ActionButton icon={IconPlus} label="New split page" isMain onClick={making.open} />
  )
  return (
    <>
      <ListPage
        title="Split pages"
        actions={make}
        operation="list_split_pages"
        query={{ sort: 'desc' }}
        search="searchString"
        filters={[
          choice('status', 'Status', [
            { value: 'true', label: 'Active' },
            { value: 'false', label: 'Inactive' },
          ]),
          choice('splitType', 'Shares', [
            { value: 'percentage', label: 'Percentages' },
            { value: 'fixed', label: 'Fixed amounts' },
          ]),
        ]}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          {
            label: 'Status',
            cell: ({ status }) => <Status of={status ? 'Active' : 'Inactive'} />,
            onPhone: true,
          },
          { label: 'Shared', cell: (page) => summaryOf(page), onPhone: 'below' },
          { label: 'Link', cell: ({ url, slug }) => <Copyable text={url} shown={cut(slug)} /> },
          { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `splits/${id}`}
        empty={{
          title: 'No split pages yet',
          text: 'Payments on a split page are split immediately: each subaccount gets a percentage or a fixed amount, and you get the rest.',
          ...(make && { action: make }),
        }}
      />
      <SplitForm opened={isMaking} onClose={making.close} onDone={(id) => go(`splits/${id}`)} />
    </>
  )
}

/** How many characters of a link are shown, which is enough to tell links apart. */
const SLUG_SHOWN = 24
const cut = (slug: string) => (slug.length > SLUG_SHOWN ? `${slug.slice(0, SLUG_SHOWN)}…` : slug)

function summaryOf(page: SplitPage): string {
  const { length } = page.subaccounts
  if (length === 0) return 'No shares yet'
  return `${shareOf(page, page.totalShare)} with ${length === 1 ? 'one subaccount' : `${length} subaccounts`}`
}

interface Values extends Record<string, unknown> {
  name: string
  slug: string
  splitType: 'percentage' | 'fixed'
  feeBearer: 'business' | 'customer' | 'subaccounts' | typeof AS_BUSINESS
  status: boolean
}

const AS_BUSINESS = 'as-business'

const BEARERS = [
  { value: AS_BUSINESS, label: 'Default' },
  { value: 'business', label: 'You' },
  { value: 'customer', label: 'The payer' },
  { value: 'subaccounts', label: 'The subaccounts' },
]

const valuesOf = (of: SplitPage | undefined): Values => ({
  name: of?.name ?? '',
  slug: of?.slug ?? '',
  splitType: (of?.splitType ?? 'percentage') as Values['splitType'],
  feeBearer: (of?.feeBearer ?? AS_BUSINESS) as Values['feeBearer'],
  status: of?.status ?? true,
})

/** The shares are edited on the page's own screen. */
export function SplitForm({
  of,
  onDone,
  ...dialog
}: DialogProps & {
  /** The page to edit; absent for a new page. */
  of?: SplitPage
  /** Called with the id of the page. */
  onDone?(id: number): void
}) {
  return (
    <FormModal<Values, Envelope<SplitPage>>
      title={of ? 'Edit split page' : 'New split page'}
      {...dialog}
      initial={valuesOf(of)}
      edits={
        of && {
          ...at('get_split_page', { id: of.id }),
          valuesOf: ({ data }: Envelope<SplitPage>) => valuesOf(data),
          labels: { slug: 'Link', splitType: 'Shares', status: 'Active' },
        }
      }
      action={
        of
          ? act('update_split_page', {
              input: (values: Values) => ({ id: of.id, ...fieldsOf(values, of) }),
              done: 'Split page saved.',
              // Reverts only the status; other changes stay.
              undo: ({ status }) => {
                if (status === of.status) return undefined
                const says = `${of.name} is ${of.status ? 'active' : 'inactive'} again.`
                return undoWith('update_split_page', { id: of.id, status: of.status }, { says })
              },
            })
          : act('create_split_page', {
              input: (values: Values) => withoutNull(fieldsOf(values)),
              done: 'Split page created.',
            })
      }
      validate={{ name: (name) => (name.trim() ? null : 'Enter a name.') }}
      verb={of ? 'Save changes' : 'Create split page'}
      onDone={(answer) => onDone?.(answer.data.id)}
    >
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="Shown to payers on the page."
            required
            data-autofocus
            {...form.field('name')}
          />
          <TextInput
            label="Link"
            description="3 to 64 lower-case letters, digits and dashes. Made from the name if blank."
            leftSection="/pay/"
            leftSectionWidth={54}
            maxLength={64}
            {...form.field('slug')}
          />
          {(of?.subaccounts.length ?? 0) === 0 && (
            <Radio.Group label="Shares" {...form.field('splitType')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="percentage"
                  label="Percentages"
                  description="Each subaccount gets a percentage of every payment."
                />
                <Radio
                  value="fixed"
                  label="Fixed amounts"
                  description="Each subaccount gets a fixed amount from every payment."
                />
              </Stack>
            </Radio.Group>
          )}
          <Select
            label="Fee paid by"
            data={BEARERS}
            allowDeselect={false}
            {...form.field('feeBearer')}
          />
          <Switch
            label="Active"
            description="An inactive page does not accept payments."
            {...form.checkbox('status')}
          />
        </>
      )}
    </FormModal>
  )
}

function fieldsOf({ name, slug, splitType, feeBearer, status }: Values, of?: SplitPage) {
  const bearer = feeBearer === AS_BUSINESS ? null : feeBearer
  return {
    name: name.trim(),
    status,
    ...(slug && slug !== of?.slug && { slug }),
    ...(splitType !== of?.splitType && { splitType }),
    ...(bearer !== (of?.feeBearer ?? null) && { feeBearer: bearer }),
  }
}

/** `30%` or `₦500.00` */
export const shareOf = ({ splitType, currency }: SplitPage, share: number): string =>
  splitType === 'fixed' ? money(share, currency) : `${share}%`
