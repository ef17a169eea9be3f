import {
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useParams } from '@tanstack/react-router'
import type { Product } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { NewFiles, NewPictures, NewVariants, useBeside } from './Beside.tsx'
import { NewOptions } from './NewOptions.tsx'
import { EMPTY, toCreate, toUpdate, type Values, valuesOf } from './values.ts'

const PATH = 'payment-service/products'
const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewProduct() {
  return (
    <DetailPage back={{ to: 'products', label: 'Products' }} title="New product" read={NEW}>
      <Form initial={EMPTY} />
    </DetailPage>
  )
}

export function EditProduct() {
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useRead<Envelope<Product>>(`${PATH}/get-product-details`, { productId: id })
  const product = read.data?.data
  return (
    <DetailPage
      back={{ to: `products/${id}`, label: product?.name ?? 'Product' }}
      title="Edit the product"
      read={read}
    >
      {product && <Form product={product} initial={valuesOf(product)} />}
    </DetailPage>
  )
}

const editsOf = ({ productId }: Product) => ({
  path: `${PATH}/get-product-details`,
  query: { productId },
  valuesOf: ({ data }: Envelope<Product>) => valuesOf(data),
})

function Form({ product, initial }: { product?: Product; initial: Values }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: initial, validate: CHECKS })
  const beside = useBeside()
  const { submit, says, isPending } = useSubmit<Values, Envelope<Product>>(
    form,
    product
      ? {
          path: `${PATH}/update-product-details`,
          method: 'PUT',
          send: (values) => ({ productId: product.productId, ...toUpdate(values) }),
          done: t.action.saved,
        }
      : { path: `${PATH}/create-product`, send: toCreate, done: 'The product is made.' },
    (answer) => void beside.finish(answer.data).then((id) => go(`products/${id}`)),
    { edits: product && editsOf(product) },
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" maw={760}>
        {says}
        <About form={form} currency={product?.currency} />
        {!product && <NewPictures of={beside} />}
        <Counting form={form} isNew={!product} />
        {!product && (
          <>
            <NewOptions form={form} />
            <NewVariants form={form} of={beside} />
            {form.values.type === 'digital' && <NewFiles of={beside} />}
          </>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending || beside.isFinishing}>
            {product ? t.action.save : 'Create the product'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const CHECKS = {
  name: (name: string) => (name.trim() ? null : 'What is it called?'),
  price: (price: number | string) => (price === '' ? 'What does it cost? 0 is free.' : null),
  options: {
    name: (name: string) => (name.trim() ? null : 'What is chosen, such as Size?'),
    values: (values: string[]) => (values.length > 0 ? null : 'At least one.'),
  },
}

interface PartProps {
  form: UseFormReturnType<Values>
}

function About({ form, currency = 'NGN' }: PartProps & { currency: string | undefined }) {
  return (
    <Card title="What it is">
      <Stack>
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
        <Textarea
          label="Description"
          autosize
          minRows={3}
          maxLength={5000}
          {...form.getInputProps('description')}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <MoneyInput label="Price" required currency={currency} {...form.getInputProps('price')} />
          <Select
            label="Kind"
            allowDeselect={false}
            data={[
              { value: 'physical', label: 'Goods to deliver' },
              { value: 'digital', label: 'Files to download' },
              { value: 'service', label: 'A service' },
            ]}
            {...form.getInputProps('type')}
          />
          <Select
            label="Status"
            allowDeselect={false}
            data={[
              { value: 'Active', label: 'Active: on sale' },
              { value: 'Draft', label: 'Draft: not yet' },
              { value: 'Archived', label: 'Archived: not any more' },
            ]}
            {...form.getInputProps('status')}
          />
        </SimpleGrid>
      </Stack>
    </Card>
  )
}

function Counting({ form, isNew }: PartProps & { isNew: boolean }) {
  return (
    <Card title="Counting">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {isNew && form.values.options.length === 0 && (
          <NumberInput
            label="Quantity"
            description="Empty sells it without counting."
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps('quantity')}
          />
        )}
        <NumberInput
          label="Few left at"
          description="From then on you are told."
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('lowStockThreshold')}
        />
        <TextInput
          label="SKU"
          description="Your own number for it."
          maxLength={64}
          {...form.getInputProps('sku')}
        />
        <TextInput
          label="Short name"
          description="For addresses; made from the name if empty."
          placeholder="ankara-t-shirt"
          {...form.getInputProps('slug')}
        />
      </SimpleGrid>
    </Card>
  )
}
