import {
  Button,
  Group,
  SegmentedControl,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useParams } from '@tanstack/react-router'
import type { PaymentPage } from '../../../../sdk/src/operations.ts'
import { type Envelope, useMe, useRead } from '../../api/hooks.ts'
import { businessId } from '../../api/session.ts'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { ProductPicker } from '../../parts/ProductPicker.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { Fields } from './Fields.tsx'
import { Looks, More } from './PageFormMore.tsx'
import { Preview } from './Preview.tsx'
import { useProductsOf } from './products.ts'
import { EMPTY, LINK, toCreate, toUpdate, type Values, valuesOf } from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewPage() {
  return (
    <DetailPage back={{ to: 'pages', label: 'Payment pages' }} title="New payment page" read={NEW}>
      <Form initial={EMPTY} />
    </DetailPage>
  )
}

export function EditPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<PaymentPage>>('payment-service/payment-pages/get-page-details', {
    pageId: id,
  })
  const page = read.data?.data
  return (
    <DetailPage
      back={{ to: `pages/${id}`, label: page?.title ?? 'Payment page' }}
      title="Edit the page"
      read={read}
    >
      {page && <Form page={page} initial={valuesOf(page)} />}
    </DetailPage>
  )
}

const editsOf = ({ id }: PaymentPage) => ({
  path: 'payment-service/payment-pages/get-page-details',
  query: { pageId: String(id) },
  valuesOf: ({ data }: Envelope<PaymentPage>) => valuesOf(data),
})

/** The form, and beside it what payers will see. */
function Form({ page, initial }: { page?: PaymentPage; initial: Values }) {
  const { data: me } = useMe()
  const go = useGo()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const currency = page?.currency ?? business?.currency ?? 'NGN'
  const form = useForm<Values>({ initialValues: initial, validate: CHECKS })
  const changeProducts = useProductsOf(page)
  const path = 'payment-service/payment-pages'
  const { submit, send, says, isPending } = useSubmit<Values, Envelope<PaymentPage>>(
    form,
    page
      ? {
          path: `${path}/update-page-details`,
          method: 'PUT',
          send: (values) => ({ pageId: page.id, ...toUpdate(values) }),
        }
      : {
          path: `${path}/create-pages`,
          send: ({ isHidden, ...values }) =>
            toCreate(values as Values, isHidden ? 'Unpublished' : 'Published'),
        },
    (answer, values) => {
      const wanted = values.amountType === 'products' ? values.productIds : []
      void changeProducts(wanted).then(() => go(`pages/${answer.data.id}`))
    },
    { edits: page && editsOf(page) },
  )
  const keep = form.onSubmit((values) => send({ ...values, isHidden: true }))
  return (
    <form onSubmit={submit} noValidate>
      <div className="with-preview">
        <Stack gap="lg">
          {says}
          <What form={form} currency={currency} />
          <Looks form={form} own={page?.customLink} />
          <Fields form={form} />
          <More form={form} />
          <Group justify="flex-end">
            {page ? (
              <Button type="submit" loading={isPending}>
                {t.action.save}
              </Button>
            ) : (
              <>
                <Button variant="default" disabled={isPending} onClick={() => keep()}>
                  Save unpublished
                </Button>
                <Button type="submit" loading={isPending}>
                  Publish
                </Button>
              </>
            )}
          </Group>
        </Stack>
        <Preview values={form.values} currency={currency} />
      </div>
    </form>
  )
}

const CHECKS = {
  title: (title: string) => (title.trim() ? null : 'What is the page called?'),
  amount: (amount: number | string, { amountType }: Values) =>
    ['fixed', 'minimum'].includes(amountType) && !(Number(amount) > 0)
      ? 'Must be more than zero.'
      : null,
  productIds: (ids: string[], { amountType }: Values) =>
    amountType === 'products' && ids.length === 0 ? 'At least one.' : null,
  customLink: (link: string) =>
    link === '' || LINK.test(link) ? null : 'Small letters, digits and hyphens; at least three.',
  customFields: { label: (label: string) => (label.trim() ? null : 'What is asked?') },
}

export interface PartProps {
  form: UseFormReturnType<Values>
}

const TYPES = [
  { value: 'fixed', label: 'One price' },
  { value: 'minimum', label: 'At least' },
  { value: 'variable', label: 'Any amount' },
  { value: 'products', label: 'Products' },
]

function What({ form, currency }: PartProps & { currency: string }) {
  const { amountType } = form.values
  const isPhone = useIsPhone()
  return (
    <Card title="What is paid for">
      <Stack>
        <TextInput label="Title" required maxLength={150} {...form.getInputProps('title')} />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxLength={5000}
          {...form.getInputProps('description')}
        />
        <SegmentedControl
          aria-label="What payers pay"
          data={TYPES}
          orientation={isPhone ? 'vertical' : 'horizontal'}
          fullWidth
          {...form.getInputProps('amountType')}
        />
        {(amountType === 'fixed' || amountType === 'minimum') && (
          <MoneyInput
            label={amountType === 'fixed' ? 'Price' : 'Minimum'}
            required
            currency={currency}
            {...form.getInputProps('amount')}
          />
        )}
        {(amountType === 'minimum' || amountType === 'variable') && (
          <TagsInput
            label="Suggested amounts"
            description="Type one, then press Enter; up to ten."
            maxTags={10}
            {...form.getInputProps('suggestedAmounts')}
          />
        )}
        {amountType === 'products' && (
          <ProductPicker
            label="Products"
            description="Payers choose among them, and pay their prices."
            {...form.getInputProps('productIds')}
          />
        )}
      </Stack>
    </Card>
  )
}
