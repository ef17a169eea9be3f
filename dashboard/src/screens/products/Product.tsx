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
import { Copyable, Json, money, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/products.ts'
import { Files } from './Files.tsx'
import { Options } from './Options.tsx'
import { Pictures } from './Pictures.tsx'
import { StockForm } from './StockForm.tsx'
import { Variants } from './Variants.tsx'
import { KINDS, stockOf } from './values.ts'

const PATH = 'payment-service/products'

export function Product() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<Record>>(`${PATH}/get-product-details`, { productId: id })
  const product = read.data?.data
  return (
    <DetailPage
      back={{ to: 'products', label: t.products }}
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
                <Card title={t.metadata}>
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
  archived ? t.itIsInTheArchive : t.itCanBeBoughtAgain

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
      says: before === 'Draft' ? t.itIsADraftAgain : archivedSays(!archived),
      shown: shownAs(before),
    }),
  })
  // The plain family alone has it, so its whole path is given.
  const duplicate = useAction<Envelope<Record>>({
    path: '/api/payment-service/v1/products/duplicate-product',
    send: () => ({ productId }),
    done: t.aDraftLikeItIs,
  })
  const remove = useAction({
    path: `${PATH}/delete-product`,
    send: () => ({ productId }),
    done: t.theProductIsDeleted,
    refresh: [`${PATH}/get-products`],
  })
  if (!may('products:write')) return null
  const ask = () =>
    confirm({
      title: t.askToDelete(name),
      text: t.itCannotBeBoughtAny,
      verb: t.deleteTheProduct,
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
        {t.edit}
      </Button>
      {variants.length === 0 && (
        <Button variant="default" leftSection={<IconPackage size={16} />} onClick={counting.open}>
          {t.adjustStock}
        </Button>
      )}
      <MoreMenu
        choices={[
          {
            label: t.duplicate,
            icon: <IconCopy size={16} />,
            go: () =>
              duplicate.mutate(undefined, {
                onSuccess: ({ data }) => go(`products/${data.productId}`),
              }),
          },
          {
            label: isArchived ? t.takeOutOfTheArchive : t.archive,
            icon: isArchived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />,
            go: () => archive.mutate({ archived: !isArchived, before: status }),
          },
          { label: t.deleteIt, icon: <IconTrash size={16} />, isDangerous: true, go: ask },
        ]}
      />
      <StockForm of={product} opened={isCounting} onClose={counting.close} />
    </>
  )
}

const figuresOf = (product: Record) => [
  { label: t.price, value: money(product.price, product.currency) },
  {
    label: t.inStock,
    value: stockOf(product).split(',')[0],
    hint: product.reserved > 0 ? t.moreReservedByBuyers(product.reserved) : undefined,
  },
  { label: t.sold, value: product.sold.toLocaleString('en-NG') },
]

function ProductFacts({ of: product }: { of: Record }) {
  return (
    <Card title={t.product}>
      <Facts
        of={{
          [t.description]: product.description && (
            <span className="as-written">{product.description}</span>
          ),
          [t.kind]: KINDS[product.type] ?? product.type,
          [t.sku]: product.sku ?? undefined,
          [t.shortName]: product.slug,
          [t.fewLeftAt]: product.lowStockThreshold ?? undefined,
          [t.created]: <When at={product.createdAt} />,
          [t.productId]: <Copyable text={product.productId} />,
          [t.reference]: <Copyable text={product.reference} />,
        }}
      />
    </Card>
  )
}

function Delivery({ of: { productId, deliveryFees } }: { of: Record }) {
  return (
    <Card title={t.delivery}>
      <Stack gap="xs">
        {deliveryFees.length === 0 ? (
          t.freeEverywhere
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
          {t.setItsDeliveryFees}
        </ScreenLink>
      </Stack>
    </Card>
  )
}
