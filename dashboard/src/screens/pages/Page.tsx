import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconPencil, IconTrash } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { PaymentPage, Product } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { MoreMenu } from '../../parts/MoreMenu.tsx'
import { Sharing } from '../../parts/Sharing.tsx'
import { Copyable, channelName, Json, money, pictureAt, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/pages.ts'
import { Thumb } from '../products/parts.tsx'
import { ANSWERS, priceOf } from './values.ts'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<PaymentPage>>('payment-service/payment-pages/get-page-details', {
    pageId: id,
  })
  const page = read.data?.data
  return (
    <DetailPage
      back={{ to: 'pages', label: t.paymentPages }}
      title={page?.title}
      status={<Status of={page?.status} />}
      read={read}
      actions={page && <Actions of={page} />}
    >
      {page && (
        <>
          <Figures of={figuresOf(page)} />
          <div className="beside">
            <Stack gap="lg">
              <PageFacts of={page} />
              {page.products.length > 0 && <PageProducts of={page} />}
              {page.customFields.length > 0 && <PageFields of={page} />}
              {page.metadata && (
                <Card title={t.metadata}>
                  <Json value={page.metadata} />
                </Card>
              )}
            </Stack>
            <Sharing
              link={page.url}
              title={page.title}
              text={page.status === 'Published' ? t.putItIntoAChat : t.nobodyCanOpenItUntil}
            />
          </div>
        </>
      )}
    </DetailPage>
  )
}

const SAYS: Record<string, string> = {
  Published: t.thePageIsPublic,
  Unpublished: t.thePageIsNotPublic,
}

function Actions({ of: page }: { of: PaymentPage }) {
  const may = useMay()
  const go = useGo()
  const isPublished = page.status === 'Published'
  const path = 'payment-service/payment-pages'
  const operation = { path: `${path}/update-page-status`, method: 'PUT' } as const
  const shownAs = (status: string) => ({
    in: path,
    is: ({ id }: PaymentPage) => id === page.id,
    as: { status },
  })
  const setStatus = useAction<unknown, string>({
    ...operation,
    send: (status) => ({ pageId: page.id, status }),
    shown: shownAs,
    done: (status) => SAYS[status]!,
    undo: (status) => {
      const before = status === 'Published' ? 'Unpublished' : 'Published'
      const body = { pageId: page.id, status: before }
      return { ...operation, body, says: SAYS[before]!, shown: shownAs(before) }
    },
  })
  const remove = useAction({
    path: `${path}/delete-page`,
    send: () => ({ pageId: page.id }),
    done: t.thePageIsDeleted,
    refresh: [`${path}/get-pages`],
  })
  const writes = may('payment_pages:write')
  const ask = () =>
    confirm({
      title: t.askToDelete(page.title),
      text: t.itsLinkWillSayThat,
      verb: t.deleteThePage,
      isDangerous: true,
      go: () => remove.mutate(undefined, { onSuccess: () => go('pages') }),
    })
  return (
    <>
      {isPublished && (
        <Button
          component="a"
          href={page.url}
          target="_blank"
          rel="noopener noreferrer"
          variant="default"
          leftSection={<IconExternalLink size={16} />}
        >
          {t.open}
        </Button>
      )}
      {writes && (
        <>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            onClick={() => go(`pages/${page.id}/edit`)}
          >
            {t.edit}
          </Button>
          <Button
            variant={isPublished ? 'default' : 'filled'}
            loading={setStatus.isPending}
            onClick={() => setStatus.mutate(isPublished ? 'Unpublished' : 'Published')}
          >
            {isPublished ? t.unpublish : t.publish}
          </Button>
        </>
      )}
      <MoreMenu
        choices={[
          {
            label: t.deleteIt,
            icon: <IconTrash size={16} />,
            isDangerous: true,
            may: writes,
            go: ask,
          },
        ]}
      />
    </>
  )
}

const figuresOf = ({ stats, currency }: PaymentPage) => [
  { label: t.views, value: stats.views.toLocaleString('en-NG') },
  { label: t.startedToPay, value: stats.checkouts.toLocaleString('en-NG') },
  {
    label: t.payments,
    value: stats.payments.toLocaleString('en-NG'),
    hint: t.ofViews(Math.round(stats.conversion * 100)),
  },
  { label: t.received, value: money(stats.amount, currency) },
]

const BEARERS: Record<string, string> = {
  business: 'You',
  customer: t.thePayerOnTop,
  subaccounts: t.theSubaccounts,
}

function PageFacts({ of: page }: { of: PaymentPage }) {
  const asks = [
    page.collectPhone && 'phone',
    page.collectAddress && 'address',
    page.allowDiscountCodes && 'discount code',
  ].filter(Boolean)
  return (
    <Card title={t.page}>
      {pictureAt(page.image) && (
        <img
          src={pictureAt(page.image)}
          alt="Cover of the page"
          className="sheet-picture"
          style={{ marginBottom: 'var(--s4)' }}
        />
      )}
      <Facts
        of={{
          [t.price]: priceOf(page),
          [t.suggested]:
            page.suggestedAmounts.length > 0
              ? page.suggestedAmounts.map((amount) => money(amount, page.currency)).join(' · ')
              : undefined,
          [t.description]: page.description && (
            <span className="as-written">{page.description}</span>
          ),
          [t.asksFor]: asks.length > 0 ? asks.join(', ') : undefined,
          [t.waysToPay]:
            page.channels.length > 0
              ? page.channels.map(channelName).join(', ')
              : t.allThatAreOffered,
          [t.feeBorneBy]: page.feeBearer ? BEARERS[page.feeBearer] : undefined,
          [t.sharedBy]: page.splitPageId ? (
            <ScreenLink to={`splits/${page.splitPageId}`}>
              {t.splitPage(page.splitPageId)}
            </ScreenLink>
          ) : undefined,
          [t.atMost]: page.maxPayments ? t.noMoreThan(page.maxPayments) : undefined,
          [t.ends]: page.expiresAt ? <When at={page.expiresAt} /> : undefined,
          [t.goesOnTo]: page.redirectUrl ?? undefined,
          [t.saysAfterwards]: page.successMessage ?? undefined,
          [t.created]: <When at={page.createdAt} />,
          [t.reference]: <Copyable text={page.reference} />,
        }}
      />
    </Card>
  )
}

function PageProducts({ of: { products } }: { of: PaymentPage }) {
  return (
    <Card title={t.products}>
      <Stack gap="sm">
        {products.map((product) => (
          <PageProduct key={product.productId} of={product} />
        ))}
      </Stack>
    </Card>
  )
}

/** The page names its products; their pictures are asked for one by one, and may come later. */
function PageProduct({ of: product }: { of: PaymentPage['products'][number] }) {
  const { productId, name, price, currency, status } = product
  const may = useMay()
  const read = useRead<Envelope<Product>>(
    'payment-service/products/get-product-details',
    { productId },
    may('products:read'),
  )
  return (
    <Group wrap="nowrap" gap="sm">
      <Thumb of={read.data?.data.media[0]} />
      <Box flex={1} miw={0} className="breaks">
        <ScreenLink to={`products/${productId}`}>{name}</ScreenLink>
        {status !== 'Active' && (
          <>
            {' '}
            <Status of={status} />
          </>
        )}
        <Text size="sm" c="dimmed">
          {money(price, currency)}
        </Text>
      </Box>
    </Group>
  )
}

function PageFields({ of: { customFields } }: { of: PaymentPage }) {
  return (
    <Card title={t.questions}>
      <Facts
        of={Object.fromEntries(
          customFields.map(({ label, type, required, options }) => [
            label,
            [ANSWERS[type] ?? type, required && 'required', options.join(' / ')]
              .filter(Boolean)
              .join(' · '),
          ]),
        )}
      />
    </Card>
  )
}
