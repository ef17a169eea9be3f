import {
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Product } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useOperation } from '../../../api/hooks.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage } from '../../../ui/DetailPage.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { AddButton, RemoveButton } from '../../../ui/repeated-fields.tsx'
import { type FormState, useForm } from '../../../ui/use-form.ts'
import { NewFiles, NewImages, NewVariants, useExtras } from './NewProductExtras.tsx'
import { EMPTY, KINDS, toCreate, toUpdate, type Values, valuesOf } from './values.tsx'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewProduct() {
  return (
    <DetailPage back={{ to: 'products', label: 'Products' }} title="New product" read={NEW}>
      <Form initial={EMPTY} />
    </DetailPage>
  )
}

export function EditProduct() {
  const { id } = useParams({ from: '/$mode/products/$id/edit' })
  const read = useOperation('get_product', { productId: id })
  const product = read.data?.data
  return (
    <DetailPage
      back={{ to: `products/${id}`, label: product?.name ?? 'Product' }}
      title="Edit product"
      read={read}
    >
      {product && <Form product={product} initial={valuesOf(product)} />}
    </DetailPage>
  )
}

const editsOf = ({ productId }: Product) => ({
  ...at('get_product'),
  query: { productId },
  valuesOf: ({ data }: Envelope<Product>) => valuesOf(data),
})

function Form({ product, initial }: { product?: Product; initial: Values }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: initial, validate: CHECKS })
  const beside = useExtras()
  const { submit, says, isPending } = useSubmit(
    form,
    product
      ? act('update_product', {
          input: (values: Values) => ({ productId: product.productId, ...toUpdate(values) }),
          done: 'Saved.',
        })
      : act('create_product', { input: toCreate, done: 'Product created.' }),
    (answer) => void beside.finish(answer.data).then((id) => go(`products/${id}`)),
    { edits: product && editsOf(product) },
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" maw={760}>
        {says}
        <About form={form} currency={product?.currency} />
        {!product && <NewImages of={beside} />}
        <Counting form={form} isNew={!product} />
        {!product && (
          <>
            <NewOptions form={form} />
            <NewVariants form={form} of={beside} />
            {form.values.type === 'digital' && <NewFiles of={beside} />}
          </>
        )}
        <Group justify="flex-end" className="form-actions">
          <ActionButton
            label={product ? 'Save' : 'Create product'}
            isMain
            type="submit"
            loading={isPending || beside.isFinishing}
          />
        </Group>
      </Stack>
    </form>
  )
}

const CHECKS = {
  name: (name: string) => (name.trim() ? null : 'Enter a name.'),
  price: (price: number | string) => (price === '' ? 'Enter a price, or 0 if it is free.' : null),
  options: {
    name: (name: string) => (name.trim() ? null : 'Enter an option, such as Size.'),
    values: (values: string[]) => (values.length > 0 ? null : 'Add at least one value.'),
  },
}

interface PartProps {
  form: FormState<Values>
}

function About({ form, currency = 'NGN' }: PartProps & { currency: string | undefined }) {
  return (
    <Card title="Details">
      <Stack>
        <TextInput label="Name" required maxLength={200} {...form.field('name')} />
        <Textarea
          label="Description"
          autosize
          minRows={3}
          maxLength={5000}
          {...form.field('description')}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <MoneyInput label="Price" required currency={currency} {...form.field('price')} />
          <Select
            label="Kind"
            allowDeselect={false}
            data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
            {...form.field('type')}
          />
          <Select
            label="Status"
            allowDeselect={false}
            data={[
              { value: 'Active', label: 'Active' },
              { value: 'Draft', label: 'Draft' },
              { value: 'Archived', label: 'Archived' },
            ]}
            {...form.field('status')}
          />
        </SimpleGrid>
      </Stack>
    </Card>
  )
}

function Counting({ form, isNew }: PartProps & { isNew: boolean }) {
  return (
    <Card title="Inventory">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {isNew && form.values.options.length === 0 && (
          <NumberInput
            label="Quantity"
            description="Leave blank to sell without tracking stock."
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            {...form.field('quantity')}
          />
        )}
        <NumberInput
          label="Low-stock alert"
          description="We alert you when stock falls to this number."
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          {...form.field('lowStockThreshold')}
        />
        <TextInput
          label="SKU"
          description="Your own code for the product."
          maxLength={64}
          {...form.field('sku')}
        />
        <TextInput
          label="URL slug"
          description="Part of the product’s URL. Leave blank to create it from the name."
          placeholder="ankara-t-shirt"
          {...form.field('slug')}
        />
      </SimpleGrid>
    </Card>
  )
}

function NewOptions({ form }: { form: FormState<Values> }) {
  const { options } = form.values
  return (
    <Card title="Options">
      <Stack>
        <Text size="sm" c="dimmed">
          For example, size and colour. Each combination becomes a variant with its own stock.
        </Text>
        {options.map(({ key }, i) => (
          <Group
            key={key}
            align="flex-start"
            gap="xs"
            role="group"
            aria-label={`Option ${i + 1}`}
            className="framed"
          >
            <TextInput
              label="Option"
              placeholder="Size"
              style={{ flex: '1 1 8rem' }}
              {...form.field(`options.${i}.name`)}
            />
            <TagsInput
              label="Values"
              placeholder="S, M, L"
              splitChars={[',']}
              acceptValueOnBlur
              style={{ flex: '3 1 12rem' }}
              {...form.field(`options.${i}.values`)}
            />
            <RemoveButton
              what={`option ${i + 1}`}
              onClick={() => form.removeListItem('options', i)}
            />
          </Group>
        ))}
        {options.length < 3 && (
          <AddButton
            label="Add an option"
            onClick={() =>
              form.insertListItem('options', { key: crypto.randomUUID(), name: '', values: [] })
            }
          />
        )}
      </Stack>
    </Card>
  )
}
