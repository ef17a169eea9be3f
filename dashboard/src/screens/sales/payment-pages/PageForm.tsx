import {
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { PaymentPage } from '../../../../../sdk/src/operations.ts'
import { callOperation } from '../../../api/call.ts'
import { act, type Envelope, useMe, useOperation } from '../../../api/hooks.ts'
import { at } from '../../../api/request.ts'
import { businessId } from '../../../api/session.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage } from '../../../ui/DetailPage.tsx'
import { useIsPhone } from '../../../ui/Filters.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { PagePreview } from '../../../ui/PagePreview.tsx'
import { ProductPicker } from '../../../ui/ProductPicker.tsx'
import { AddButton, RemoveButton } from '../../../ui/repeated-fields.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'
import { imagePath } from '../../../ui/values.tsx'
import { AppearanceCard, MoreCard } from './PageFormMore.tsx'
import {
  ANSWERS,
  EMPTY,
  LINK,
  newField,
  plainAmount,
  toCreate,
  toUpdate,
  type Values,
  valuesOf,
} from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewPage() {
  return (
    <DetailPage back={{ to: 'pages', label: 'Payment pages' }} title="New payment page" read={NEW}>
      <Form initial={EMPTY} />
    </DetailPage>
  )
}

export function EditPage() {
  const { id } = useParams({ from: '/$mode/pages/$id/edit' })
  const read = useOperation('get_payment_page', { pageId: id })
  const page = read.data?.data
  return (
    <DetailPage
      back={{ to: `pages/${id}`, label: page?.title ?? 'Payment page' }}
      title="Edit page"
      read={read}
    >
      {page && <Form page={page} initial={valuesOf(page)} />}
    </DetailPage>
  )
}

const editsOf = ({ id }: PaymentPage) => ({
  ...at('get_payment_page'),
  query: { pageId: String(id) },
  valuesOf: ({ data }: Envelope<PaymentPage>) => valuesOf(data),
})

function Form({ page, initial }: { page?: PaymentPage; initial: Values }) {
  const { data: me } = useMe()
  const go = useGo()
  const business = me?.businesses.find(({ id }) => String(id) === businessId())
  const currency = page?.currency ?? business?.currency ?? 'NGN'
  const form = useForm<Values>({ initialValues: initial, validate: CHECKS })
  const changeProducts = useProductsOf(page)
  const { submit, send, says, isPending } = useSubmit(
    form,
    page
      ? act('update_payment_page', {
          input: (values: Values) => ({ pageId: page.id, ...toUpdate(values) }),
        })
      : act('create_payment_page', {
          input: (values: Values) =>
            toCreate(values, values.isHidden ? 'Unpublished' : 'Published'),
        }),
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
          <AppearanceCard form={form} own={page?.customLink} />
          <Fields form={form} />
          <MoreCard form={form} />
          <Group justify="flex-end" className="form-actions">
            {page ? (
              <ActionButton label="Save" isMain type="submit" loading={isPending} />
            ) : (
              <>
                <ActionButton label="Save draft" disabled={isPending} onClick={() => keep()} />
                <ActionButton label="Publish" isMain type="submit" loading={isPending} />
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
  title: (title: string) => (title.trim() ? null : 'Enter a title.'),
  amount: (amount: number | string, { amountType }: Values) =>
    ['fixed', 'minimum'].includes(amountType) && !(Number(amount) > 0)
      ? 'Must be more than zero.'
      : null,
  productIds: (ids: string[], { amountType }: Values) =>
    amountType === 'products' && ids.length === 0 ? 'Choose at least one product.' : null,
  customLink: (link: string) =>
    link === '' || LINK.test(link) ? null : 'Use 3 to 64 lower-case letters, digits and hyphens.',
  customFields: { label: (label: string) => (label.trim() ? null : 'Enter a question.') },
}

export interface PartProps {
  form: FormState<Values>
}

const TYPES = [
  { value: 'fixed', label: 'Fixed price' },
  { value: 'minimum', label: 'Minimum amount' },
  { value: 'variable', label: 'Any amount' },
  { value: 'products', label: 'Products' },
]

function What({ form, currency }: PartProps & { currency: string }) {
  const { amountType } = form.values
  const isPhone = useIsPhone()
  return (
    <Card title="Details">
      <Stack>
        <TextInput label="Title" required maxLength={150} {...form.field('title')} />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxLength={5000}
          {...form.field('description')}
        />
        <SegmentedControl
          aria-label="Pricing"
          data={TYPES}
          orientation={isPhone ? 'vertical' : 'horizontal'}
          fullWidth
          {...form.field('amountType')}
        />
        {(amountType === 'fixed' || amountType === 'minimum') && (
          <MoneyInput
            label={amountType === 'fixed' ? 'Price' : 'Minimum amount'}
            required
            currency={currency}
            {...form.field('amount')}
          />
        )}
        {(amountType === 'minimum' || amountType === 'variable') && (
          <TagsInput
            label="Suggested amounts"
            description="Press Enter after each amount. You can add up to 10."
            maxTags={10}
            // A comma separates thousands.
            splitChars={[]}
            {...form.field('suggestedAmounts')}
          />
        )}
        {amountType === 'products' && (
          <ProductPicker
            label="Products"
            description="Payers choose from these products. Product prices apply."
            {...form.field('productIds')}
          />
        )}
      </Stack>
    </Card>
  )
}

const ANSWER_TYPES = Object.entries(ANSWERS).map(([value, label]) => ({ value, label }))

/** Asks which details payers have to give in addition to their email address. */
function Fields({ form }: PartProps) {
  const { customFields } = form.values
  return (
    <Card title="Payer details">
      <Stack>
        <Checkbox label="Phone number" {...form.checkbox('collectPhone')} />
        <Checkbox
          label="Address"
          description="Pages with products to deliver always ask for a delivery address."
          {...form.checkbox('collectAddress')}
        />
        {customFields.map(({ key, type }, i) => (
          <Group
            key={key}
            align="flex-start"
            gap="xs"
            role="group"
            aria-label={`Question ${i + 1}`}
            className="framed"
          >
            <TextInput
              label="Question"
              required
              style={{ flex: '2 1 10rem' }}
              {...form.field(`customFields.${i}.label`)}
            />
            <Select
              label="Answer type"
              data={ANSWER_TYPES}
              allowDeselect={false}
              style={{ flex: '1 1 7rem' }}
              {...form.field(`customFields.${i}.type`)}
            />
            <RemoveButton
              what={`question ${i + 1}`}
              onClick={() => form.removeListItem('customFields', i)}
            />
            {type === 'select' && (
              <TagsInput
                label="Choices"
                description="Press Enter after each choice."
                style={{ flex: '1 1 100%' }}
                {...form.field(`customFields.${i}.options`)}
              />
            )}
            <Checkbox
              label="Required"
              style={{ flex: '1 1 100%' }}
              {...form.checkbox(`customFields.${i}.required`)}
            />
          </Group>
        ))}
        <AddButton
          label="Add a question"
          onClick={() => form.insertListItem('customFields', newField())}
        />
      </Stack>
    </Card>
  )
}

/** Previews what payers will see, while the page is being edited. */
function Preview({ values, currency }: { values: Values; currency: string }) {
  const { title, description, color, amountType, suggestedAmounts, productIds } = values
  const { collectPhone, collectAddress, allowDiscountCodes } = values
  const sells = amountType === 'products'
  return (
    <PagePreview
      of={{
        title: title.trim() || 'Title',
        description,
        currency,
        image: imagePath(values.image) ?? '',
        ...(/^#[0-9a-f]{6}$/i.test(color) && { color }),
        ...(sells
          ? { productIds }
          : {
              amountType,
              amount: String(values.amount),
              suggestedAmounts: suggestedAmounts.map(plainAmount),
            }),
        customFields: values.customFields.map(({ label, type, required, options }) => ({
          label: label || '…',
          type,
          required,
          options,
        })),
        collectPhone,
        collectAddress,
        allowDiscountCodes,
      }}
    />
  )
}

/**
 * Returns a function that adds newly chosen products to an existing page, and removes those that
 * are no longer chosen.
 */
function useProductsOf(page: PaymentPage | undefined) {
  const queries = useQueryClient()
  return async (wanted: string[]): Promise<void> => {
    if (!page) return
    const had = page.products.map(({ productId }) => productId)
    const added = wanted.filter((id) => !had.includes(id))
    const gone = had.filter((id) => !wanted.includes(id))
    try {
      if (added.length > 0) await change('add_payment_page_products', page.id, added)
      if (gone.length > 0) await change('remove_payment_page_products', page.id, gone)
    } catch (error) {
      notifications.show({
        title: 'Products not updated',
        message: (error as Error).message,
        color: 'red',
      })
    }
    await queries.invalidateQueries()
  }
}

const change = (
  operation: 'add_payment_page_products' | 'remove_payment_page_products',
  pageId: number,
  productIds: string[],
) => callOperation(operation, { pageId, productIds })
