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
import { t as own } from '../../texts/products.ts'
import { NewFiles, NewPictures, NewVariants, useBeside } from './Beside.tsx'
import { NewOptions } from './NewOptions.tsx'
import { EMPTY, KINDS, toCreate, toUpdate, type Values, valuesOf } from './values.ts'

const PATH = 'payment-service/products'
const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

export function NewProduct() {
  return (
    <DetailPage back={{ to: 'products', label: own.products }} title={own.newProduct} read={NEW}>
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
      back={{ to: `products/${id}`, label: product?.name ?? own.product }}
      title={own.editTheProduct}
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
      : { path: `${PATH}/create-product`, send: toCreate, done: own.theProductIsMade },
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
        <Group justify="flex-end" className="form-actions">
          <Button type="submit" loading={isPending || beside.isFinishing}>
            {product ? t.action.save : own.createTheProduct}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const CHECKS = {
  name: (name: string) => (name.trim() ? null : own.whatIsItCalled),
  price: (price: number | string) => (price === '' ? own.whatDoesItCost : null),
  options: {
    name: (name: string) => (name.trim() ? null : own.whatIsChosenSuchAs),
    values: (values: string[]) => (values.length > 0 ? null : own.atLeastOne),
  },
}

interface PartProps {
  form: UseFormReturnType<Values>
}

function About({ form, currency = 'NGN' }: PartProps & { currency: string | undefined }) {
  return (
    <Card title={own.whatItIs}>
      <Stack>
        <TextInput label={own.name} required maxLength={200} {...form.getInputProps('name')} />
        <Textarea
          label={own.description}
          autosize
          minRows={3}
          maxLength={5000}
          {...form.getInputProps('description')}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <MoneyInput
            label={own.price}
            required
            currency={currency}
            {...form.getInputProps('price')}
          />
          <Select
            label={own.kind}
            allowDeselect={false}
            data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('type')}
          />
          <Select
            label={own.status}
            allowDeselect={false}
            data={[
              { value: 'Active', label: own.activeOnSale },
              { value: 'Draft', label: own.draftNotYet },
              { value: 'Archived', label: own.archivedNotAnyMore },
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
    <Card title={own.counting}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {isNew && form.values.options.length === 0 && (
          <NumberInput
            label={own.quantity}
            description={own.emptySellsItWithoutCounting}
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps('quantity')}
          />
        )}
        <NumberInput
          label={own.fewLeftAt}
          description={own.fromThenOnYouAre}
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('lowStockThreshold')}
        />
        <TextInput
          label={own.sku}
          description={own.yourOwnNumberForIt}
          maxLength={64}
          {...form.getInputProps('sku')}
        />
        <TextInput
          label={own.shortName}
          description={own.forAddressesMadeFromThe}
          placeholder="ankara-t-shirt"
          {...form.getInputProps('slug')}
        />
      </SimpleGrid>
    </Card>
  )
}
