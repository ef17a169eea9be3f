import { Box, Button, Stack } from '@mantine/core'
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
import type { Product as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { PagePreview } from '../../parts/PagePreview.tsx'
import { Copyable, Json, money, Status, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { Files } from './Files.tsx'
import { Options } from './Options.tsx'
import { Pictures } from './Pictures.tsx'
import { StockForm } from './StockForm.tsx'
import { Variants } from './Variants.tsx'
import { stockOf } from './values.ts'

const PATH = 'payment-service/products'

export function Product() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<Record>>(`${PATH}/get-product-details`, { productId: id })
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
              <Pictures of={product} />
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

/** As payers see it, below what is worked with: a long page would push it down. */
function Shown({ of: { status, name, productId, currency } }: { of: Record }) {
  if (status !== 'Active') return null
  return <PagePreview isSmall of={{ title: name, productIds: [productId], currency }} />
}

const archivedSays = (archived: boolean): string =>
  archived ? 'It is in the archive.' : 'It can be bought again.'

function Actions({ of: product }: { of: Record }) {
  const { productId, name, status, variants } = product
  const may = useMay()
  const go = useGo()
  const [isCounting, counting] = useDisclosure(false)
  const isArchived = status === 'Archived'
  const shownAs = (as: string) => ({
    in: PATH,
    is: (row: Record) => row.productId === productId,
    as: { status: as },
  })
  const archive = useAction<unknown, { archived: boolean; before: string }>({
    path: `${PATH}/archive-product`,
    send: ({ archived }) => ({ productId, archived }),
    shown: ({ archived }) => shownAs(archived ? 'Archived' : 'Active'),
    done: ({ archived }) => archivedSays(archived),
    undo: ({ archived, before }) => ({
      path: `${PATH}/update-product-details`,
      method: 'PUT',
      body: { productId, status: before },
      says: before === 'Draft' ? 'It is a draft again.' : archivedSays(!archived),
      shown: shownAs(before),
    }),
  })
  // The plain family alone has it, so its whole path is given.
  const duplicate = useAction<Envelope<Record>>({
    path: '/api/payment-service/v1/products/duplicate-product',
    send: () => ({ productId }),
    done: 'A draft like it is made.',
  })
  const remove = useAction({
    path: `${PATH}/delete-product`,
    send: () => ({ productId }),
    done: 'The product is deleted.',
    refresh: [`${PATH}/get-products`],
  })
  if (!may('products:write')) return null
  const ask = () =>
    confirm({
      title: `Delete ${name}?`,
      text: 'It cannot be bought any more, and goes from all pages. What was sold stays in your books.',
      verb: 'Delete the product',
      isDangerous: true,
      go: () => remove.mutate(undefined, { onSuccess: () => go('products') }),
    })
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPencil size={16} />}
        onClick={() => go(`products/${productId}/edit`)}
      >
        Edit
      </Button>
      {variants.length === 0 && (
        <Button variant="default" leftSection={<IconPackage size={16} />} onClick={counting.open}>
          Adjust stock
        </Button>
      )}
      <MoreMenu
        choices={[
          {
            label: 'Duplicate',
            icon: <IconCopy size={16} />,
            go: () =>
              duplicate.mutate(undefined, {
                onSuccess: ({ data }) => go(`products/${data.productId}`),
              }),
          },
          {
            label: isArchived ? 'Take out of the archive' : 'Archive',
            icon: isArchived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />,
            go: () => archive.mutate({ archived: !isArchived, before: status }),
          },
          { label: 'Delete', icon: <IconTrash size={16} />, isDangerous: true, go: ask },
        ]}
      />
      <StockForm of={product} opened={isCounting} onClose={counting.close} />
    </>
  )
}

const figuresOf = (product: Record) => [
  { label: 'Price', value: money(product.price, product.currency) },
  {
    label: 'In stock',
    value: stockOf(product).split(',')[0],
    hint: product.reserved > 0 ? `${product.reserved} more reserved by buyers` : undefined,
  },
  { label: 'Sold', value: product.sold.toLocaleString('en-NG') },
]

function ProductFacts({ of: product }: { of: Record }) {
  return (
    <Card title="Product">
      <Facts
        of={{
          Description: product.description && (
            <span className="as-written">{product.description}</span>
          ),
          Kind: words(product.type),
          SKU: product.sku ?? undefined,
          'Short name': product.slug,
          'Few left at': product.lowStockThreshold ?? undefined,
          Created: <When at={product.createdAt} />,
          Number: <Copyable text={product.productId} />,
          Reference: <Copyable text={product.reference} />,
        }}
      />
    </Card>
  )
}

function Delivery({ of: { productId, deliveryFees } }: { of: Record }) {
  return (
    <Card title="Delivery">
      <Stack gap="xs">
        {deliveryFees.length === 0 ? (
          'Free, everywhere.'
        ) : (
          <Facts
            of={Object.fromEntries(
              deliveryFees.map(({ location, fees, currency }) => [
                location,
                money(Number(fees), currency),
              ]),
            )}
          />
        )}
        <ScreenLink to="delivery" search={{ productId }}>
          Set its delivery fees
        </ScreenLink>
      </Stack>
    </Card>
  )
}
