import {
  Alert,
  Group,
  Modal,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconPlus, IconTag } from '@tabler/icons-react'
import { useState } from 'react'
import type { DiscountCode, VerifyDiscountCodeResponse } from '../../../../../sdk/src/operations.ts'
import { pick, withoutNull } from '../../../api/fields.ts'
import { act, type Envelope, useAction } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at, prefixOf } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { useDayOf } from '../../../ui/days.ts'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { ProductPicker } from '../../../ui/ProductPicker.tsx'
import { dayOf } from '../../../ui/typed-days.ts'
import { useForm } from '../../../ui/use-form.ts'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { Copyable, money, Status } from '../../../ui/values.tsx'

type State = 'Active' | 'Inactive'
const other = (status: string): State => (status === 'Active' ? 'Inactive' : 'Active')
const SAYS = {
  Active: (code: string) => `${code} enabled.`,
  Inactive: (code: string) => `${code} disabled.`,
}

export function Discounts() {
  const writes = usePermission()('discounts:write')
  const [isCreating, creating] = useNewParam()
  const [isTrying, trying] = useDisclosure(false)
  const [edited, edit] = useState<DiscountCode>()
  const lastDay = useDayOf()
  const shownAs = ({ id }: DiscountCode, status: string) => ({
    in: prefixOf('list_discount_codes'),
    is: (row: DiscountCode) => row.id === id,
    as: { status },
  })
  const setStatus = useAction(
    act('update_discount_code', {
      input: ({ id, status }: DiscountCode) => ({ discountId: id, status: other(status) }),
      shown: (code) => shownAs(code, other(code.status)),
      done: ({ code, status }) => SAYS[other(status)](code),
      undo: (code) => {
        const before = other(other(code.status))
        return undoWith(
          'update_discount_code',
          { discountId: code.id, status: before },
          { says: SAYS[before](code.code), shown: shownAs(code, before) },
        )
      },
    }),
  )
  const create = writes && (
    <ActionButton icon={IconPlus} label="New code" isMain onClick={creating.open} />
  )
  const menuOf = (code: DiscountCode) => (
    <MoreMenu
      choices={[
        { label: 'Edit', icon: IconPencil, may: writes, go: () => edit(code) },
        {
          label: code.status === 'Active' ? 'Disable' : 'Enable',
          icon: code.status === 'Active' ? IconPlayerPause : IconPlayerPlay,
          may: writes,
          go: () => setStatus.mutate(code),
        },
      ]}
    />
  )
  return (
    <>
      <ListPage
        title="Discounts"
        operation="list_discount_codes"
        search="code"
        searchFor="Full code"
        actions={
          <>
            <ActionButton icon={IconTag} label="Test a code" onClick={trying.open} />
            {create}
          </>
        }
        columns={[
          { label: 'Code', cell: ({ code }) => <Copyable text={code} /> },
          { label: 'Discount', cell: (code) => discountOf(code), onPhone: 'below' },
          { label: 'Products', cell: ({ productIds }) => whatFor(productIds) },
          { label: 'Used', cell: (code) => usesOf(code), onPhone: 'below' },
          {
            label: 'Expires',
            cell: ({ endsAt }) => (endsAt ? dayOf(lastDay(endsAt, true)) : 'Never'),
          },
          { label: 'Status', cell: (code) => <Status of={stateOf(code)} />, onPhone: true },
          ...(writes
            ? [{ label: 'Actions', cell: menuOf, align: 'right' as const, onPhone: true }]
            : []),
        ]}
        keyOf={({ id }) => id}
        empty={{
          title: 'No discount codes yet',
          text: 'Payers enter a code on your payment pages to get a percentage or a fixed amount off.',
          action: create,
        }}
      />
      <TryCode opened={isTrying} onClose={trying.close} />
      <DiscountForm opened={isCreating} onClose={creating.close} />
      {edited && <DiscountForm code={edited} opened onClose={() => edit(undefined)} />}
    </>
  )
}

function discountOf({ type, value, currency, maxDiscount, minSpend }: DiscountCode) {
  const limits = [
    maxDiscount !== null && `up to ${money(maxDiscount, currency)}`,
    minSpend !== null && minSpend > 0 && `minimum spend ${money(minSpend, currency)}`,
  ].filter(Boolean)
  return (
    <>
      {type === 'percentage' ? `${value}%` : money(value, currency)}
      {limits.length > 0 && (
        <Text size="xs" c="dimmed">
          {limits.join(', ')}
        </Text>
      )}
    </>
  )
}

const whatFor = (ids: string[]): string =>
  ids.length === 0 ? 'Everything' : ids.length === 1 ? '1 product' : `${ids.length} products`

const usesOf = ({ usedCount, reservedCount, maxUses }: DiscountCode): string =>
  [
    `${usedCount}${maxUses === null ? '' : ` of ${maxUses}`} used`,
    reservedCount > 0 && `${reservedCount} reserved`,
  ]
    .filter(Boolean)
    .join(', ')

/**
 * Returns a state that is not in the record: an active code may be expired, used up or not valid
 * yet.
 */
function stateOf({ status, endsAt, startsAt, usedCount, maxUses }: DiscountCode): string {
  if (status !== 'Active') return status
  if (endsAt && Date.parse(endsAt) <= Date.now()) return 'Expired'
  if (maxUses !== null && usedCount >= maxUses) return 'UsedUp'
  if (startsAt && Date.parse(startsAt) > Date.now()) return 'NotStarted'
  return status
}

type Amount = number | string

interface Values extends Record<string, unknown> {
  code: string
  type: 'percentage' | 'fixed'
  value: Amount
  productIds: string[]
  minSpend: Amount
  maxDiscount: Amount
  startsAt: string
  endsAt: string
  maxUses: Amount
  maxUsesPerCustomer: Amount
}

const EMPTY: Values = {
  code: '',
  type: 'percentage',
  value: '',
  productIds: [],
  minSpend: '',
  maxDiscount: '',
  startsAt: '',
  endsAt: '',
  maxUses: '',
  maxUsesPerCustomer: '',
}

type DayOf = ReturnType<typeof useDayOf>

const valuesOf = (code: DiscountCode, dayOf: DayOf): Values => ({
  code: code.code,
  type: code.type as Values['type'],
  value: code.value,
  productIds: code.productIds,
  minSpend: code.minSpend ?? '',
  maxDiscount: code.maxDiscount ?? '',
  startsAt: dayOf(code.startsAt),
  endsAt: dayOf(code.endsAt, true),
  maxUses: code.maxUses ?? '',
  maxUsesPerCustomer: code.maxUsesPerCustomer ?? '',
})

/**
 * Whether the form shows the maximum discount. A fixed code needs none, but may have got one through
 * the API, which must be visible because it caps the code.
 */
const hasMaximum = ({ type }: Values, code: DiscountCode | undefined): boolean =>
  type === 'percentage' || (code?.type === 'fixed' && code.maxDiscount !== null)

/** The input for update_discount_code, in which null clears a field. */
const fieldsOf = (values: Values, code?: DiscountCode) => ({
  code: values.code,
  type: values.type,
  value: values.value,
  productIds: values.productIds,
  minSpend: values.minSpend === '' ? null : values.minSpend,
  // A hidden maximum would cap the code.
  maxDiscount: hasMaximum(values, code) && values.maxDiscount !== '' ? values.maxDiscount : null,
  startsAt: values.startsAt || null,
  endsAt: values.endsAt || null,
  maxUses: values.maxUses === '' ? null : Number(values.maxUses),
  maxUsesPerCustomer: values.maxUsesPerCustomer === '' ? null : Number(values.maxUsesPerCustomer),
})

/** The input for create_discount_code, without empty fields. */
function toCreate(values: Values) {
  const { productIds, ...fields } = withoutNull(fieldsOf(values))
  return { ...fields, ...(productIds.length > 0 && { productIds }) }
}

function toUpdate(values: Values, code: DiscountCode, dayOf: DayOf) {
  const before = valuesOf(code, dayOf)
  const isChanged = (name: keyof Values) =>
    JSON.stringify(values[name]) !== JSON.stringify(before[name])
  const fields = fieldsOf(values, code)
  // These mean something else when the type changes.
  const isOfType = (name: keyof Values) => name === 'value' || name === 'maxDiscount'
  return {
    discountId: code.id,
    ...pick(fields, (name) => isChanged(name) || (values.type !== before.type && isOfType(name))),
  }
}

function DiscountForm({ code, ...dialog }: DialogProps & { code?: DiscountCode }) {
  const currency = code?.currency ?? 'NGN'
  const dayOf = useDayOf()
  return (
    <FormModal<Values>
      title={code ? `Edit ${code.code}` : 'New discount code'}
      size="lg"
      {...dialog}
      initial={code ? valuesOf(code, dayOf) : EMPTY}
      edits={
        code && {
          ...at('list_discount_codes'),
          query: { code: code.code },
          valuesOf: ({ data }: Envelope<DiscountCode[]>) => {
            const now = data.find(({ id }) => id === code.id)
            return now && valuesOf(now, dayOf)
          },
        }
      }
      action={
        code
          ? act('update_discount_code', {
              input: (values: Values) => toUpdate(values, code, dayOf),
              done: 'Saved.',
            })
          : act('create_discount_code', { input: toCreate, done: 'Code created.' })
      }
      validate={{
        code: (text) =>
          /^[A-Za-z0-9_-]{3,32}$/.test(text)
            ? null
            : 'Use 3 to 32 letters, digits, hyphens or underscores.',
        value: (value, { type }) =>
          Number(value) > 0 && (type === 'fixed' || Number(value) <= 100)
            ? null
            : type === 'fixed'
              ? 'Must be more than zero.'
              : 'Must be more than 0 and at most 100.',
      }}
      verb={code ? 'Save' : 'Create code'}
    >
      {(form) => (
        <>
          <TextInput
            label="Code"
            description="What payers enter. Not case-sensitive."
            required
            data-autofocus
            maxLength={32}
            styles={{ input: { textTransform: 'uppercase' } }}
            {...form.field('code')}
          />
          <SegmentedControl
            aria-label="Discount type"
            data={[
              { value: 'percentage', label: 'Percentage' },
              { value: 'fixed', label: 'Amount' },
            ]}
            {...form.field('type')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {form.values.type === 'fixed' ? (
              <MoneyInput label="Discount" required currency={currency} {...form.field('value')} />
            ) : (
              <NumberInput
                label="Discount"
                required
                suffix="%"
                min={0}
                max={100}
                decimalScale={2}
                hideControls
                {...form.field('value')}
              />
            )}
            {hasMaximum(form.values, code) && (
              <MoneyInput
                label="Maximum discount"
                currency={currency}
                {...form.field('maxDiscount')}
              />
            )}
            <MoneyInput label="Minimum spend" currency={currency} {...form.field('minSpend')} />
          </SimpleGrid>
          <ProductPicker
            label="Products"
            description="Leave blank for all products."
            {...form.field('productIds')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <DayInput label="Starts" {...form.field('startsAt')} />
            <DayInput label="Expires" {...form.field('endsAt')} />
            <NumberInput
              label="Total uses"
              placeholder="Unlimited"
              min={1}
              allowDecimal={false}
              hideControls
              {...form.field('maxUses')}
            />
            <NumberInput
              label="Uses per customer"
              placeholder="Unlimited"
              min={1}
              allowDecimal={false}
              hideControls
              {...form.field('maxUsesPerCustomer')}
            />
          </SimpleGrid>
        </>
      )}
    </FormModal>
  )
}

interface TryValues {
  code: string
  amount: number | string
  productId: string
  email: string
}

/** Shows what a code would deduct, or why it is refused, without using it. */
function TryCode({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Test a code">
      {opened && <Body onClose={onClose} />}
    </Modal>
  )
}

function Body({ onClose }: { onClose(): void }) {
  const form = useForm<TryValues>({
    initialValues: { code: '', amount: '', productId: '', email: '' },
    validate: {
      code: (code) => (code.trim() ? null : 'Enter the full code.'),
      amount: (amount) => (Number(amount) > 0 ? null : 'Must be more than zero.'),
    },
  })
  const ask = useAction(
    act('verify_discount_code', {
      input: ({ code, amount, productId, email }: TryValues) => ({
        code: code.trim(),
        amount,
        ...(productId.trim() && { productId: productId.trim() }),
        ...(email.trim() && { email: email.trim() }),
      }),
      refresh: [],
      // The dialog shows errors itself.
      caught: () => true,
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
      <Stack>
        <Text size="sm">
          See the discount that a payer would get. Testing does not use up the code.
        </Text>
        <TextInput
          label="Code"
          autoComplete="off"
          maxLength={32}
          required
          data-autofocus
          {...form.field('code')}
        />
        <MoneyInput label="Amount to pay" required {...form.field('amount')} />
        <TextInput
          label="Product"
          description="A product ID. Leave blank for any product."
          inputMode="numeric"
          {...form.field('productId')}
        />
        <TextInput
          label="Payer’s email address"
          description="Optional. We check how often this payer has used the code."
          type="email"
          {...form.field('email')}
        />
        <div aria-live="polite">
          <Outcome of={ask.data?.data} refusal={ask.error?.message} />
        </div>
        <Group justify="flex-end">
          <ActionButton label="Done" onClick={onClose} />
          <ActionButton label="Test code" isMain type="submit" loading={ask.isPending} />
        </Group>
      </Stack>
    </form>
  )
}

function Outcome({
  of,
  refusal,
}: {
  of: VerifyDiscountCodeResponse | undefined
  refusal: string | undefined
}) {
  if (refusal) {
    return (
      <Alert color="red" title="Code not accepted">
        {refusal}
      </Alert>
    )
  }
  if (!of) return null
  return (
    <Alert color="green" title={`${money(of.discountAmount, of.currency)} off`}>
      The payer pays {money(of.finalAmount, of.currency)}.
    </Alert>
  )
}
