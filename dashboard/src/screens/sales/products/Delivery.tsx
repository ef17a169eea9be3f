import { Box, Group, Select, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeliveryFee, Product } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { EmptyState, Failure, LoadingRows } from '../../../ui/feedback.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { useGo, useSearchState } from '../../../ui/navigation.ts'
import { money } from '../../../ui/values.tsx'

export function Delivery() {
  const [{ productId }, change] = useSearchState()
  const pick = (
    <Picker
      value={productId}
      onPick={(id) => change({ productId: id, page: undefined, cursor: undefined })}
    />
  )
  if (productId) return <FeesOf key={productId} productId={productId} pick={pick} />
  return (
    <Stack gap="lg">
      <Title order={1}>Delivery fees</Title>
      {pick}
      <Box className="card holds-place">
        <NoneChosen />
      </Box>
    </Stack>
  )
}

/** Shown if no product is selected, or if there are none yet. */
function NoneChosen() {
  const go = useGo()
  const writes = usePermission()('products:write')
  const { data, error, isPending, refetch } = useProducts()
  if (isPending) return <LoadingRows count={4} />
  if (error && !data) return <Failure level={2} error={error} again={() => void refetch()} />
  if (data?.data.length === 0) {
    return (
      <EmptyState
        title="Nothing to deliver yet"
        text="Only products that you deliver have delivery fees. Create such a product, then set its delivery fee for each place."
        action={
          writes && <ActionButton label="New product" isMain onClick={() => go('products/new')} />
        }
      />
    )
  }
  return (
    <EmptyState
      title="Choose a product"
      text="Set a delivery fee for each product in each place. The fee for “Everywhere” applies to any place not listed. Products with no fees are delivered free. If an order includes several products, only the highest delivery fee is charged."
    />
  )
}

const useProducts = (search?: string) =>
  useOperation('list_products', { type: 'physical', limit: 50, search }, { keepsPrevious: true })

function FeesOf({ productId, pick }: { productId: string; pick: React.ReactNode }) {
  const writes = usePermission()('products:write')
  const [isAdding, adding] = useDisclosure(false)
  const [edited, edit] = useState<DeliveryFee>()
  const fees = useOperation('list_delivery_fees', { productId, limit: 100 }, { enabled: isAdding })
  const remove = useAction(
    act('delete_delivery_fee', {
      input: ({ id }: DeliveryFee) => ({ productId, deliveryFeeId: id }),
      done: 'Fee deleted.',
      undo: ({ location, fees }) =>
        undoWith(
          'add_delivery_fee',
          { productId, location, fees: asText(fees) },
          { says: `Fee for ${location} restored.` },
        ),
    }),
  )
  const ask = (fee: DeliveryFee) =>
    confirm({
      title: `Delete the fee for ${fee.location}?`,
      text: 'Payers in this place will pay the “Everywhere” fee. Without such a fee, you don’t deliver to this place.',
      verb: 'Delete fee',
      isDangerous: true,
      canUndo: true,
      go: () => remove.mutate(fee),
    })
  const add = writes && (
    <ActionButton icon={IconPlus} label="New fee" isMain onClick={adding.open} />
  )
  const menuOf = (fee: DeliveryFee) => (
    <MoreMenu
      choices={[
        { label: 'Edit', icon: IconPencil, go: () => edit(fee) },
        { label: 'Delete', icon: IconTrash, isDangerous: true, go: () => ask(fee) },
      ]}
    />
  )
  return (
    <>
      <ListPage
        title="Delivery fees"
        operation="list_delivery_fees"
        query={{ productId }}
        actions={add}
        columns={[
          { label: 'Place', cell: ({ location }) => <span className="breaks">{location}</span> },
          {
            label: 'Fee',
            cell: ({ fees, currency }) =>
              Number(fees) === 0 ? 'Free' : money(Number(fees), currency),
            onPhone: true,
            align: 'right',
          },
          ...(writes
            ? [{ label: 'Actions', cell: menuOf, align: 'right' as const, onPhone: true }]
            : []),
        ]}
        keyOf={({ id }) => id}
        empty={{
          title: 'Free delivery',
          text: 'Add a fee for one or more places, and one for everywhere else.',
          action: add,
        }}
      >
        {pick}
      </ListPage>
      <FeeForm
        productId={productId}
        taken={fees.data?.data.map(({ location }) => location) ?? []}
        opened={isAdding}
        onClose={adding.close}
      />
      {edited && (
        <FeeForm productId={productId} fee={edited} opened onClose={() => edit(undefined)} />
      )}
    </>
  )
}

function Picker({
  value,
  onPick,
}: {
  value: string | undefined
  onPick(id: string | undefined): void
}) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  // The label of the selected product, which contains ` · `, is not a search term.
  const found = useProducts(asked.includes(' · ') ? undefined : asked || undefined)
  const chosen = useOperation('get_product', { productId: value }, { enabled: value !== undefined })
  const products = [
    ...(found.data?.data ?? []),
    ...(value && chosen.data ? [chosen.data.data] : []),
  ]
  const names = new Map(products.map((one) => [one.productId, labelOf(one)]))
  return (
    <Group>
      <Select
        label="Product"
        placeholder="Search by name"
        data={[...names].map(([id, label]) => ({ value: id, label }))}
        value={value && names.has(value) ? value : null}
        onChange={(id) => onPick(id ?? undefined)}
        onSearchChange={setText}
        searchable
        clearable
        nothingFoundMessage={<Text size="sm">No product with that name.</Text>}
        style={{ flex: '1 1 16rem' }}
        maw={420}
      />
    </Group>
  )
}

const labelOf = ({ name, price, currency }: Product): string =>
  `${name} · ${money(price, currency)}`

interface Values extends Record<string, unknown> {
  locations: string[]
  fees: number | string
}

const valuesOf = (fee: DeliveryFee | undefined): Values => ({
  locations: fee ? [fee.location] : [],
  fees: fee ? Number(fee.fees) : '',
})

/** The contract requires fees as decimal strings. */
const asText = (fees: number | string): string => Number(fees).toFixed(2)

/** The API's name for all locations without a fee. */
const EVERYWHERE = 'Everywhere'

/** Sets the fee for one or more places. Each place has only one fee per product. */
function FeeForm({
  productId,
  fee,
  taken = [],
  ...dialog
}: DialogProps & {
  productId: string
  fee?: DeliveryFee
  /** Places that already have a fee. */
  taken?: readonly string[]
}) {
  const inputOf = ({ id }: DeliveryFee, fees: number | string) => ({
    productId,
    deliveryFeeId: id,
    fees: asText(fees),
  })
  return (
    <FormModal<Values>
      title={fee ? `Fee for ${fee.location}` : 'New delivery fee'}
      {...dialog}
      initial={valuesOf(fee)}
      edits={
        fee && {
          ...at('list_delivery_fees'),
          query: { productId },
          valuesOf: ({ data }: Envelope<DeliveryFee[]>) => {
            const now = data.find(({ id }) => id === fee.id)
            return now && valuesOf(now)
          },
        }
      }
      action={
        fee
          ? act('update_delivery_fee', {
              input: ({ fees }: Values) => inputOf(fee, fees),
              done: 'Saved.',
              undo: () =>
                undoWith('update_delivery_fee', inputOf(fee, fee.fees), { says: 'Fee restored.' }),
            })
          : act('add_delivery_fee', {
              input: ({ locations, fees }: Values) =>
                locations.map((location) => ({ productId, location, fees: asText(fees) })),
              done: 'Fee saved.',
            })
      }
      validate={{
        locations: (locations) => {
          if (fee) return null
          const again = locations.find((one) => taken.some((other) => isSame(one, other)))
          if (again) return `${again} already has a fee. Edit that fee instead.`
          return locations.length > 0 ? null : 'Choose at least one place.'
        },
        fees: (fees) => (fees === '' ? 'Enter a fee, or 0 for free delivery.' : null),
      }}
      verb={fee ? 'Save' : 'Save fee'}
    >
      {(form) => (
        <>
          {fee ? (
            <TextInput label="Place" value={fee.location} disabled />
          ) : (
            <TagsInput
              label="Places"
              description="Choose one or more places, or type your own. “Everywhere” covers any place not listed."
              placeholder={form.values.locations.length === 0 ? 'Lagos' : undefined}
              data={[EVERYWHERE, ...STATES].filter(
                (one) => !taken.some((other) => isSame(one, other)),
              )}
              limit={40}
              acceptValueOnBlur
              clearable
              required
              maxTags={20}
              maxLength={100}
              data-autofocus
              comboboxProps={{ withinPortal: true }}
              {...form.field('locations')}
            />
          )}
          <MoneyInput
            label="Fee"
            required
            currency={fee?.currency}
            data-autofocus={fee !== undefined}
            {...form.field('fees')}
          />
        </>
      )}
    </FormModal>
  )
}

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase()

/** Suggested places. Users can also enter others. */
const STATES = [
  ...['Abia', 'Abuja', 'Adamawa', 'Akwa Ibom', 'Anambra', 'Bauchi', 'Bayelsa', 'Benue', 'Borno'],
  ...['Cross River', 'Delta', 'Ebonyi', 'Edo', 'Ekiti', 'Enugu', 'Gombe', 'Imo', 'Jigawa'],
  ...['Kaduna', 'Kano', 'Katsina', 'Kebbi', 'Kogi', 'Kwara', 'Lagos', 'Nasarawa', 'Niger'],
  ...['Ogun', 'Ondo', 'Osun', 'Oyo', 'Plateau', 'Rivers', 'Sokoto', 'Taraba', 'Yobe', 'Zamfara'],
]
