import { Box, NumberInput, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconArchive,
  IconArchiveOff,
  IconCopy,
  IconPackage,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Product as ProductRecord } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at, type Input, prefixOf } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Figures } from '../../../ui/Figures.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { PagePreview } from '../../../ui/PagePreview.tsx'
import { Json, money, Status } from '../../../ui/values.tsx'
import { Files } from './Files.tsx'
import { ProductImages } from './Images.tsx'
import { Options } from './Options.tsx'
import { Variants } from './Variants.tsx'
import { KINDS, stockCountOf } from './values.tsx'

export function Product() {
  const { id } = useParams({ from: '/$mode/products/$id' })
  const read = useOperation('get_product', { productId: id })
  const product = read.data?.data
  return (
    <DetailPage
      back={{ to: 'products', label: 'Products' }}
      title={product?.name}
      status={<Status of={product?.status} />}
      read={read}
      actions={product && <Actions of={product} />}
    >
      {product && (
        <>
          <Figures of={figuresOf(product)} />
          <div className="beside">
            <Stack gap="lg">
              <ProductFacts of={product} />
              <Options of={product} />
              {(product.type === 'digital' || product.digitalFiles.length > 0) && (
                <Files of={product} />
              )}
              {product.metadata && (
                <Card title="Metadata">
                  <Json value={product.metadata} />
                </Card>
              )}
            </Stack>
            <Stack gap="lg">
              <ProductImages of={product} />
              {product.type === 'physical' && <Delivery of={product} />}
              {product.variants.length === 0 && <Shown of={product} />}
            </Stack>
          </div>
          {product.variants.length > 0 && (
            <>
              <Variants key={product.productId} of={product} />
              <Box maw="24rem">
                <Shown of={product} />
              </Box>
            </>
          )}
        </>
      )}
    </DetailPage>
  )
}

/**
 * Shows what payers see. Must come after the parts that the team works with, because a long page
 * would push these down.
 */
function Shown({ of: { status, name, productId, currency } }: { of: ProductRecord }) {
  if (status !== 'Active') return null
  return <PagePreview isSmall of={{ title: name, productIds: [productId], currency }} />
}

type State = NonNullable<Input<'update_product'>['status']>

const archivedSays = (archived: boolean): string =>
  archived ? 'Product archived.' : 'Product unarchived.'

function Actions({ of: product }: { of: ProductRecord }) {
  const { productId, name, status, variants } = product
  const may = usePermission()
  const go = useGo()
  const [isCounting, counting] = useDisclosure(false)
  const isArchived = status === 'Archived'
  const shownAs = (as: string) => ({
    in: [prefixOf('list_products'), prefixOf('get_product')],
    is: (row: ProductRecord) => row.productId === productId,
    as: { status: as },
  })
  const archive = useAction(
    act('archive_product', {
      input: ({ archived }: { archived: boolean; before: State }) => ({ productId, archived }),
      shown: ({ archived }) => shownAs(archived ? 'Archived' : 'Active'),
      done: ({ archived }) => archivedSays(archived),
      undo: ({ archived, before }) =>
        undoWith(
          'update_product',
          { productId, status: before },
          {
            says: before === 'Draft' ? 'Product moved back to draft.' : archivedSays(!archived),
            shown: shownAs(before),
          },
        ),
    }),
  )
  const duplicate = useAction(
    act('duplicate_product', { input: () => ({ productId }), done: 'Duplicated as a draft.' }),
  )
  const remove = useAction(
    act('delete_product', {
      input: () => ({ productId }),
      done: 'Product deleted.',
      refresh: ['list_products'],
    }),
  )
  if (!may('products:write')) return null
  const ask = () =>
    confirm({
      title: `Delete ${name}?`,
      text: 'This product will disappear from all payment pages, and payers will no longer be able to buy it. Past sales stay in your records.',
      verb: 'Delete product',
      isDangerous: true,
      go: () => remove.mutate(undefined, { onSuccess: () => go('products') }),
    })
  return (
    <>
      <ActionButton
        icon={IconPencil}
        label="Edit"
        onClick={() => go(`products/${productId}/edit`)}
      />
      {variants.length === 0 && (
        <ActionButton icon={IconPackage} label="Adjust stock" onClick={counting.open} />
      )}
      <MoreMenu
        choices={[
          {
            label: 'Duplicate',
            icon: IconCopy,
            go: () =>
              duplicate.mutate(undefined, {
                onSuccess: ({ data }) => go(`products/${data.productId}`),
              }),
          },
          {
            label: isArchived ? 'Unarchive' : 'Archive',
            icon: isArchived ? IconArchiveOff : IconArchive,
            go: () => archive.mutate({ archived: !isArchived, before: status as State }),
          },
          { label: 'Delete', icon: IconTrash, isDangerous: true, go: ask },
        ]}
      />
      <StockForm of={product} opened={isCounting} onClose={counting.close} />
    </>
  )
}

const figuresOf = (product: ProductRecord) => [
  { label: 'Price', value: money(product.price, product.currency) },
  {
    label: 'In stock',
    value: stockCountOf(product),
    hint: product.reserved > 0 ? `${product.reserved} more reserved` : undefined,
  },
  { label: 'Sold', value: product.sold.toLocaleString('en-NG') },
]

function ProductFacts({ of: product }: { of: ProductRecord }) {
  return (
    <Card title="Product">
      <Facts>
        <Fact
          label="Description"
          value={product.description && <span className="as-written">{product.description}</span>}
        />
        <Fact label="Kind" value={KINDS[product.type] ?? product.type} />
        <Fact label="SKU" value={product.sku ?? undefined} />
        <Fact label="URL slug" value={product.slug} />
        <Fact label="Low-stock alert" value={product.lowStockThreshold ?? undefined} />
        <Fact label="Created" at={product.createdAt} />
        <Fact label="Product ID" copy={product.productId} />
        <Fact label="Reference" copy={product.reference} />
      </Facts>
    </Card>
  )
}

function Delivery({ of: { productId, deliveryFees } }: { of: ProductRecord }) {
  return (
    <Card title="Delivery">
      <Stack gap="xs">
        {deliveryFees.length === 0 ? (
          'Free everywhere'
        ) : (
          <Facts>
            {deliveryFees.map(({ location, fees, currency }) => (
              <Fact key={location} label={location} value={money(Number(fees), currency)} />
            ))}
          </Facts>
        )}
        <ScreenLink to="delivery" search={{ productId }}>
          Set delivery fees
        </ScreenLink>
      </Stack>
    </Card>
  )
}

interface Values extends Record<string, unknown> {
  quantity: number | string
}

/** Adjusts the stock of a product without variants. */
function StockForm({
  of: { productId, quantity, reserved, tracked },
  ...dialog
}: DialogProps & { of: ProductRecord }) {
  return (
    <FormModal<Values>
      title="Adjust stock"
      {...dialog}
      initial={{ quantity: tracked ? quantity : '' }}
      edits={{
        ...at('get_product'),
        query: { productId },
        valuesOf: ({ data }: Envelope<ProductRecord>) => ({
          quantity: data.tracked ? data.quantity : '',
        }),
      }}
      action={act('update_product', {
        input: ({ quantity: counted }: Values) =>
          counted === ''
            ? { productId, tracked: false }
            : { productId, quantity: Number(counted), tracked: true },
        done: 'Stock updated.',
        undo: () =>
          undoWith(
            'update_product',
            tracked ? { productId, quantity, tracked } : { productId, tracked },
            { says: 'Stock restored.' },
          ),
      })}
      verb="Update stock"
    >
      {(form) => (
        <>
          <Text size="sm">
            Enter how many you have, including those reserved by buyers
            {reserved > 0 && ` (${reserved})`}. Leave blank to sell without tracking stock.
          </Text>
          <NumberInput
            label="Quantity"
            min={reserved}
            allowDecimal={false}
            thousandSeparator=","
            data-autofocus
            {...form.field('quantity')}
          />
        </>
      )}
    </FormModal>
  )
}
