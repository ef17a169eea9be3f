import { Alert, Box, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { UtilityPackage } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { useIsPhone } from '../../../ui/Filters.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { useUnsaved } from '../../../ui/unsaved.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { money } from '../../../ui/values.tsx'
import { CUSTOMER_NUMBER_LABELS, type Enquiry } from './Utility.tsx'

interface Choice extends Record<string, unknown> {
  category: string
  biller: string | null
  packageSlug: string | null
  customerId: string
}

/**
 * Asks for the bill and the customer number. The biller then returns the customer's name, before
 * anything is paid.
 */
export function NewBill() {
  const go = useGo()
  const isPhone = useIsPhone()
  const [enquiry, setEnquiry] = useState<Enquiry>()
  const categories = useOperation('list_utility_categories')
  const form = useForm<Choice>({
    initialValues: { category: 'airtime', biller: null, packageSlug: null, customerId: '' },
    validate: {
      biller: (biller) => (biller ? null : 'Choose a biller.'),
      packageSlug: (slug) => (slug ? null : 'Choose a package.'),
      customerId: (id) => (id.trim() ? null : 'Enter the customer number.'),
    },
  })
  useUnsaved(() => form.isDirty())
  const { category, biller } = form.values
  const billers = useOperation('list_utility_billers', { category })
  const packages = useOperation(
    'list_utility_packages',
    { biller: biller ?? '' },
    { enabled: Boolean(biller) },
  )
  const ask = useAction(
    act('enquire_utility_customer', {
      input: ({ customerId, packageSlug }: Choice) => ({
        customerId: customerId.trim(),
        packageSlug: packageSlug!,
      }),
      refresh: [],
      // The form shows errors itself.
      caught: () => true,
    }),
  )
  const submit = form.onSubmit((values) =>
    ask.mutate(values, { onSuccess: ({ responseData }) => setEnquiry(responseData) }),
  )
  const leave = (reference: string) => {
    form.resetDirty()
    go(`utility/${reference}`)
  }
  const choose = (values: Partial<Choice>) => {
    form.setValues(values)
    form.clearErrors()
    ask.reset()
  }
  const names = (categories.data?.data ?? []).map(({ slug, name }) => ({
    value: slug,
    label: name,
  }))
  return (
    <DetailPage
      back={{ to: 'utility', label: 'Bills and airtime' }}
      title="Pay a bill"
      read={categories}
    >
      <Box maw={620}>
        {enquiry ? (
          <Pay for={enquiry} onBack={() => setEnquiry(undefined)} onPaid={leave} />
        ) : (
          <Card>
            <form onSubmit={submit} noValidate>
              <Stack>
                {ask.error && (
                  <Alert color="red" role="alert">
                    {ask.error.message}
                  </Alert>
                )}
                {isPhone ? (
                  <Select
                    label="Kind"
                    data={names}
                    allowDeselect={false}
                    value={category}
                    onChange={(value) =>
                      choose({ category: value ?? 'airtime', biller: null, packageSlug: null })
                    }
                  />
                ) : (
                  <SegmentedControl
                    aria-label="Kind"
                    data={names}
                    value={category}
                    onChange={(value) =>
                      choose({ category: value, biller: null, packageSlug: null })
                    }
                  />
                )}
                <Select
                  label="Biller"
                  placeholder="Choose a biller"
                  searchable
                  required
                  data={(billers.data?.data ?? []).map(({ slug, name }) => ({
                    value: slug,
                    label: name,
                  }))}
                  {...form.field('biller')}
                  onChange={(value) => choose({ biller: value, packageSlug: null })}
                />
                <Select
                  label="Package"
                  placeholder={biller ? 'Choose a package' : 'Choose a biller first'}
                  disabled={!biller}
                  searchable
                  required
                  data={(packages.data?.data ?? []).map((one) => ({
                    value: one.packageSlug,
                    label: labelOf(one),
                  }))}
                  {...form.field('packageSlug')}
                />
                <TextInput
                  label={CUSTOMER_NUMBER_LABELS[category] ?? 'Customer number'}
                  inputMode="numeric"
                  autoComplete="off"
                  maxLength={64}
                  required
                  {...form.field('customerId')}
                />
                <Group justify="flex-end" className="form-actions">
                  <ActionButton
                    label="Find customer"
                    isMain
                    type="submit"
                    loading={ask.isPending}
                  />
                </Group>
              </Stack>
            </form>
          </Card>
        )}
      </Box>
    </DetailPage>
  )
}

const labelOf = ({ name, amount, currency, amountType }: UtilityPackage): string =>
  amountType === 'fixed' ? `${name} · ${money(amount, currency)}` : name

interface Values extends Record<string, unknown> {
  amount: number | string
  phoneNumber: string
  email: string
}

/**
 * Shows the amount and the customer name from the biller, and pays after the user has confirmed
 * them.
 */
function Pay({
  for: enquiry,
  onBack,
  onPaid,
}: {
  for: Enquiry
  onBack(): void
  onPaid(reference: string): void
}) {
  const { currency, category, customerId, customerName, packageName, packageSlug } = enquiry
  const balances = useOperation('get_wallet_balance')
  const available = balances.data?.data.find((row) => row.currency === currency)?.available
  const form = useForm<Values>({
    initialValues: { amount: enquiry.amount ?? '', phoneNumber: '', email: '' },
    validate: { amount: (amount) => wrongWith(Number(amount), enquiry, available) },
  })
  const pay = useAction(
    act('process_utility_payment', {
      input: ({ amount, phoneNumber, email }: Values) => ({
        customerId,
        packageSlug,
        customerName,
        amount,
        ...(phoneNumber && { phoneNumber }),
        ...(email && { email }),
      }),
      // The form shows errors itself.
      caught: () => true,
    }),
  )
  const taken = (amount: number) => money(amount > 0 ? amount + enquiry.fee : 0, currency)
  const submit = form.onSubmit((values) => {
    confirm({
      title: 'Pay this bill?',
      text: `${taken(Number(values.amount))} will be taken from your wallet to buy ${packageName} for ${customerName} (${customerId}). This cannot be undone.`,
      verb: `Pay ${taken(Number(values.amount))}`,
      go: () =>
        pay.mutate(values, {
          onSuccess: ({ responseData }) => onPaid(responseData.reference),
        }),
    })
  })
  const sum = money(Number(form.values.amount) || 0, currency)
  return (
    <Card title={packageName}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {pay.error && (
            <Alert color="red" role="alert">
              {pay.error.message}
            </Alert>
          )}
          <Facts>
            <Fact label="Customer" value={customerName} />
            <Fact label={CUSTOMER_NUMBER_LABELS[category] ?? 'Number'} value={customerId} />
            <Fact label="Biller" value={enquiry.billerName} />
            <Fact label="Fee" value={enquiry.fee > 0 ? money(enquiry.fee, currency) : undefined} />
            <Fact
              label="Wallet balance"
              value={available === undefined ? undefined : money(available, currency)}
            />
          </Facts>
          {enquiry.amountType === 'fixed' ? (
            <div>
              <Text c="dimmed" size="sm">
                Price
              </Text>
              <Text className="figure">{sum}</Text>
              {form.errors.amount && <Text c="var(--bad)">{form.errors.amount}</Text>}
            </div>
          ) : (
            <MoneyInput
              label="Amount"
              description={limitsOf(enquiry)}
              currency={currency}
              required
              autoFocus
              {...form.field('amount')}
            />
          )}
          <TextInput
            label="Phone number"
            description="The biller may send its confirmation here."
            type="tel"
            {...form.field('phoneNumber')}
          />
          <TextInput label="Email address" type="email" {...form.field('email')} />
          <Group justify="flex-end">
            <ActionButton label="Back" onClick={onBack} />
            <ActionButton
              label={`Pay ${taken(Number(form.values.amount) || 0)}`}
              isMain
              type="submit"
              loading={pay.isPending}
            />
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function wrongWith(amount: number, enquiry: Enquiry, available: number | undefined) {
  const { minimumAmount: least, maximumAmount: most, amountType, currency } = enquiry
  // Rounded because, with floating point, 0.1 + 0.2 is slightly more than 0.3. Only the server
  // decides what is charged.
  if (available !== undefined && Number((amount + enquiry.fee).toFixed(2)) > available) {
    return `Insufficient balance: ${money(available, currency)} available.`
  }
  if (amountType === 'fixed') return null
  const isInside = amount > 0 && amount >= (least ?? 0) && amount <= (most ?? amount)
  return isInside ? null : limitsOf(enquiry)
}

const limitsOf = ({ minimumAmount: least, maximumAmount: most, currency }: Enquiry): string =>
  most === null
    ? `Must be at least ${money(least ?? 0, currency)}.`
    : `From ${money(least ?? 0, currency)} to ${money(most, currency)}.`
