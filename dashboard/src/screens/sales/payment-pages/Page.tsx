import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconPencil, IconTrash } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { PaymentPage } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { prefixOf } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Figures } from '../../../ui/Figures.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { Sharing } from '../../../ui/Sharing.tsx'
import { channelName, imagePath, Json, money, Status } from '../../../ui/values.tsx'
import { Thumb } from '../products/values.tsx'
import { ANSWERS, priceOf } from './values.ts'

export function Page() {
  const { id } = useParams({ from: '/$mode/pages/$id' })
  const read = useOperation('get_payment_page', { pageId: id })
  const page = read.data?.data
  return (
    <DetailPage
      back={{ to: 'pages', label: 'Payment pages' }}
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
                <Card title="Metadata">
                  <Json value={page.metadata} />
                </Card>
              )}
            </Stack>
            <Sharing
              link={page.url}
              title={page.title}
              text={
                page.status === 'Published'
                  ? 'Share this page in a chat, a post or your shop window.'
                  : 'The link works once you publish the page.'
              }
            />
          </div>
        </>
      )}
    </DetailPage>
  )
}

const SAYS = {
  Published: 'Page published.',
  Unpublished: 'Page unpublished.',
}

function Actions({ of: page }: { of: PaymentPage }) {
  const may = usePermission()
  const go = useGo()
  const isPublished = page.status === 'Published'
  const shownAs = (status: string) => ({
    in: [prefixOf('list_payment_pages'), prefixOf('get_payment_page')],
    is: ({ id }: PaymentPage) => id === page.id,
    as: { status },
  })
  const setStatus = useAction(
    act('set_payment_page_status', {
      input: (status: keyof typeof SAYS) => ({ pageId: page.id, status }),
      shown: shownAs,
      done: (status) => SAYS[status],
      undo: (status) => {
        const before = status === 'Published' ? 'Unpublished' : 'Published'
        return undoWith(
          'set_payment_page_status',
          { pageId: page.id, status: before },
          { says: SAYS[before], shown: shownAs(before) },
        )
      },
    }),
  )
  const remove = useAction(
    act('delete_payment_page', {
      input: () => ({ pageId: page.id }),
      done: 'Page deleted.',
      refresh: ['list_payment_pages'],
    }),
  )
  const writes = may('payment_pages:write')
  const ask = () =>
    confirm({
      title: `Delete ${page.title}?`,
      text: 'The page’s link will stop working and cannot be used for another page. Payments stay in your records.',
      verb: 'Delete page',
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
          Open
        </Button>
      )}
      {writes && (
        <>
          <ActionButton
            icon={IconPencil}
            label="Edit"
            onClick={() => go(`pages/${page.id}/edit`)}
          />
          <ActionButton
            label={isPublished ? 'Unpublish' : 'Publish'}
            variant={isPublished ? 'default' : 'filled'}
            loading={setStatus.isPending}
            onClick={() => setStatus.mutate(isPublished ? 'Unpublished' : 'Published')}
          />
        </>
      )}
      <MoreMenu
        choices={[{ label: 'Delete', icon: IconTrash, isDangerous: true, may: writes, go: ask }]}
      />
    </>
  )
}

const figuresOf = ({ stats, currency }: PaymentPage) => [
  { label: 'Views', value: stats.views.toLocaleString('en-NG') },
  { label: 'Payments started', value: stats.checkouts.toLocaleString('en-NG') },
  {
    label: 'Payments',
    value: stats.payments.toLocaleString('en-NG'),
    hint: `${Math.round(stats.conversion * 100)}% of views`,
  },
  { label: 'Received', value: money(stats.amount, currency) },
]

const BEARERS: Record<string, string> = {
  business: 'You',
  customer: 'The payer',
  subaccounts: 'The subaccounts',
}

function PageFacts({ of: page }: { of: PaymentPage }) {
  const asks = [
    page.collectPhone && 'phone',
    page.collectAddress && 'address',
    page.allowDiscountCodes && 'discount code',
  ].filter(Boolean)
  return (
    <Card title="Page">
      {imagePath(page.image) && (
        <img
          src={imagePath(page.image)}
          alt="Page cover"
          className="sheet-picture"
          style={{ marginBottom: 'var(--s4)' }}
        />
      )}
      <Facts>
        <Fact label="Price" value={priceOf(page)} />
        <Fact
          label="Suggested"
          value={
            page.suggestedAmounts.length > 0
              ? page.suggestedAmounts.map((amount) => money(amount, page.currency)).join(' · ')
              : undefined
          }
        />
        <Fact
          label="Description"
          value={page.description && <span className="as-written">{page.description}</span>}
        />
        <Fact label="Asks for" value={asks.length > 0 ? asks.join(', ') : undefined} />
        <Fact
          label="Payment methods"
          value={
            page.channels.length > 0 ? page.channels.map(channelName).join(', ') : 'All available'
          }
        />
        <Fact label="Fee paid by" value={page.feeBearer ? BEARERS[page.feeBearer] : undefined} />
        <Fact
          label="Shared with"
          value={
            page.splitPageId ? (
              <ScreenLink to={`splits/${page.splitPageId}`}>
                split page {page.splitPageId}
              </ScreenLink>
            ) : undefined
          }
        />
        <Fact
          label="Payment limit"
          value={
            page.maxPayments
              ? page.maxPayments === 1
                ? '1 payment'
                : `${page.maxPayments} payments`
              : undefined
          }
        />
        <Fact label="Expires" at={page.expiresAt} />
        <Fact label="Redirect URL" value={page.redirectUrl ?? undefined} />
        <Fact label="Confirmation message" value={page.successMessage ?? undefined} />
        <Fact label="Created" at={page.createdAt} />
        <Fact label="Reference" copy={page.reference} />
      </Facts>
    </Card>
  )
}

function PageProducts({ of: { products } }: { of: PaymentPage }) {
  return (
    <Card title="Products">
      <Stack gap="sm">
        {products.map((product) => (
          <PageProduct key={product.productId} of={product} />
        ))}
      </Stack>
    </Card>
  )
}

/**
 * The page's record has only the names of the products. Each image is loaded separately, and may
 * appear later.
 */
function PageProduct({ of: product }: { of: PaymentPage['products'][number] }) {
  const { productId, name, price, currency, status } = product
  const may = usePermission()
  const read = useOperation('get_product', { productId }, { enabled: may('products:read') })
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
    <Card title="Questions">
      <Facts>
        {customFields.map(({ label, type, required, options }) => (
          <Fact
            key={label}
            label={label}
            value={[
              (ANSWERS as Record<string, string>)[type] ?? type,
              required && 'required',
              options.join(' / '),
            ]
              .filter(Boolean)
              .join(' · ')}
          />
        ))}
      </Facts>
    </Card>
  )
}
