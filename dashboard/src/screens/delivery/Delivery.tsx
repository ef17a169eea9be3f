import { Box, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeliveryFee, Product } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { Failure, LoadingRows, Nothing } from '../../parts/states.tsx'
import { money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo, useSearchState } from '../../shell/where.ts'
import { t as own } from '../../texts/delivery.ts'
import { t } from '../../texts/en.ts'
import { FeeForm } from './FeeForm.tsx'

const PATH = 'payment-service/products'

/** What it costs to bring a product to a place. */
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
      <Title order={1}>{own.deliveryFees}</Title>
      {pick}
      <Box className="card holds-place">
        <NoneChosen />
      </Box>
    </Stack>
  )
}

/** In the place of fees: a product is to be chosen, or to be made first. */
function NoneChosen() {
  const go = useGo()
  const writes = useMay()('products:write')
  const { data, error, isPending, refetch } = useProducts()
  if (isPending) return <LoadingRows count={4} />
  if (error && !data) return <Failure level={2} error={error} again={() => void refetch()} />
  if (data?.data.length === 0) {
    return (
      <Nothing
        title={own.nothingToDeliverYet}
        text={own.deliveryFeesBelongToProducts}
        action={writes && <Button onClick={() => go('products/new')}>{own.newProduct}</Button>}
      />
    )
  }
  return <Nothing title={own.chooseAProduct} text={own.eachProductHasFeesBy} />
}

const useProducts = (search?: string) =>
  useRead<Envelope<Product[]>>(`${PATH}/get-products`, { type: 'physical', limit: 50, search })

function FeesOf({ productId, pick }: { productId: string; pick: React.ReactNode }) {
  const writes = useMay()('products:write')
  const [isAdding, adding] = useDisclosure(false)
  const [edited, edit] = useState<DeliveryFee>()
  const fees = useRead<Envelope<DeliveryFee[]>>(
    `${PATH}/get-delivery-fees`,
    { productId, limit: 100 },
    isAdding,
  )
  const remove = useAction<unknown, DeliveryFee>({
    path: `${PATH}/delete-delivery-fees`,
    send: ({ id }) => ({ productId, deliveryFeeId: id }),
    done: own.theFeeIsDeleted,
    undo: ({ location, fees }) => ({
      path: `${PATH}/add-delivery-fees`,
      body: { productId, location, fees: Number(fees).toFixed(2) },
      says: own.theFeeForIsBack(location),
    }),
  })
  const ask = (fee: DeliveryFee) =>
    confirm({
      title: own.deleteTheFeeFor(fee.location),
      text: own.buyersTherePayTheFee,
      verb: own.deleteTheFee,
      isDangerous: true,
      canUndo: true,
      go: () => remove.mutate(fee),
    })
  const add = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={adding.open}>
      {own.newFee}
    </Button>
  )
  const menuOf = (fee: DeliveryFee) => (
    <MoreMenu
      choices={[
        { label: own.edit, icon: <IconPencil size={16} />, go: () => edit(fee) },
        {
          label: own.deleteIt,
          icon: <IconTrash size={16} />,
          isDangerous: true,
          go: () => ask(fee),
        },
      ]}
    />
  )
  return (
    <>
      <ListPage<DeliveryFee>
        title={own.deliveryFees}
        path={`${PATH}/get-delivery-fees`}
        query={{ productId }}
        actions={add}
        columns={[
          { label: own.place, cell: ({ location }) => <span className="breaks">{location}</span> },
          {
            label: own.fee,
            cell: ({ fees, currency }) =>
              Number(fees) === 0 ? own.free : money(Number(fees), currency),
            onPhone: true,
            align: 'right',
          },
          ...(writes
            ? [{ label: t.action.actions, cell: menuOf, align: 'right' as const, onPhone: true }]
            : []),
        ]}
        keyOf={({ id }) => id}
        empty={{
          title: own.deliveredFree,
          text: own.addAFeeForA,
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
  // What is shown of the one that was chosen is no search.
  const found = useProducts(asked.includes(' · ') ? undefined : asked || undefined)
  const chosen = useRead<Envelope<Product>>(
    `${PATH}/get-product-details`,
    { productId: value },
    value !== undefined,
  )
  const products = [
    ...(found.data?.data ?? []),
    ...(value && chosen.data ? [chosen.data.data] : []),
  ]
  const names = new Map(products.map((one) => [one.productId, labelOf(one)]))
  return (
    <Group>
      <Select
        label={own.product}
        placeholder={own.lookForOneByIts}
        data={[...names].map(([id, label]) => ({ value: id, label }))}
        value={value && names.has(value) ? value : null}
        onChange={(id) => onPick(id ?? undefined)}
        onSearchChange={setText}
        searchable
        clearable
        nothingFoundMessage={<Text size="sm">{own.noProductOfThatName}</Text>}
        style={{ flex: '1 1 16rem' }}
        maw={420}
      />
    </Group>
  )
}

const labelOf = ({ name, price, currency }: Product): string =>
  `${name} · ${money(price, currency)}`
