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
import { t as own } from '../../texts/pages.ts'
import { Fields } from './Fields.tsx'
import { Looks, More } from './PageFormMore.tsx'
import { Preview } from './Preview.tsx'
import { useProductsOf } from './products.ts'
import { EMPTY, LINK, toCreate, toUpdate, type Values, valuesOf } from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewPage() {
  return (
    <DetailPage
      back={{ to: 'pages', label: own.paymentPages }}
      title={own.newPaymentPage}
      read={NEW}
    >
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
      back={{ to: `pages/${id}`, label: page?.title ?? own.paymentPage }}
      title={own.editThePage}
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
          <Group justify="flex-end" className="form-actions">
            {page ? (
              <Button type="submit" loading={isPending}>
                {t.action.save}
              </Button>
            ) : (
              <>
                <Button variant="default" disabled={isPending} onClick={() => keep()}>
                  {own.saveUnpublished}
                </Button>
                <Button type="submit" loading={isPending}>
                  {own.publish}
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
  title: (title: string) => (title.trim() ? null : own.whatIsThePageCalled),
  amount: (amount: number | string, { amountType }: Values) =>
    ['fixed', 'minimum'].includes(amountType) && !(Number(amount) > 0)
      ? own.mustBeMoreThanZero
      : null,
  productIds: (ids: string[], { amountType }: Values) =>
    amountType === 'products' && ids.length === 0 ? own.atLeastOne : null,
  customLink: (link: string) =>
    link === '' || LINK.test(link) ? null : own.smallLettersDigitsAndHyphens,
  customFields: { label: (label: string) => (label.trim() ? null : own.whatIsAsked) },
}

export interface PartProps {
  form: UseFormReturnType<Values>
}

const TYPES = [
  { value: 'fixed', label: own.onePrice },
  { value: 'minimum', label: own.atLeast },
  { value: 'variable', label: own.anyAmount },
  { value: 'products', label: own.products },
]

function What({ form, currency }: PartProps & { currency: string }) {
  const { amountType } = form.values
  const isPhone = useIsPhone()
  return (
    <Card title={own.whatIsPaidFor}>
      <Stack>
        <TextInput label={own.title} required maxLength={150} {...form.getInputProps('title')} />
        <Textarea
          label={own.description}
          autosize
          minRows={2}
          maxLength={5000}
          {...form.getInputProps('description')}
        />
        <SegmentedControl
          aria-label={own.whatPayersPay}
          data={TYPES}
          orientation={isPhone ? 'vertical' : 'horizontal'}
          fullWidth
          {...form.getInputProps('amountType')}
        />
        {(amountType === 'fixed' || amountType === 'minimum') && (
          <MoneyInput
            label={amountType === 'fixed' ? own.price : own.minimum}
            required
            currency={currency}
            {...form.getInputProps('amount')}
          />
        )}
        {(amountType === 'minimum' || amountType === 'variable') && (
          <TagsInput
            label={own.suggestedAmounts}
            description={own.typeOneThenPressEnterUp}
            maxTags={10}
            {...form.getInputProps('suggestedAmounts')}
          />
        )}
        {amountType === 'products' && (
          <ProductPicker
            label={own.products}
            description={own.payersChooseAmongThemAnd}
            {...form.getInputProps('productIds')}
          />
        )}
      </Stack>
    </Card>
  )
}
