import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { WalletBalance } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/utility.ts'
import { type Enquiry, NUMBERS, type Paid } from './types.ts'

interface Values extends Record<string, unknown> {
  amount: number | string
  phoneNumber: string
  email: string
}

/** Who the biller says it is for, and how much; paid after one more look. */
export function Pay({ for: enquiry, onBack }: { for: Enquiry; onBack(): void }) {
  const go = useGo()
  const { currency, category, customerId, customerName, packageName, packageSlug } = enquiry
  const balances = useRead<Envelope<WalletBalance[]>>('user-service/wallet/balance')
  const available = balances.data?.data.find((row) => row.currency === currency)?.available
  const form = useForm<Values>({
    initialValues: { amount: enquiry.amount ?? '', phoneNumber: '', email: '' },
    validate: { amount: (amount) => wrongWith(Number(amount), enquiry, available) },
  })
  const act = useAction<Paid, Values>({
    path: 'payment-service/utility/transactions/process-payment',
    send: ({ amount, phoneNumber, email }) => ({
      customerId,
      packageSlug,
      customerName,
      amount,
      ...(phoneNumber && { phoneNumber }),
      ...(email && { email }),
    }),
  })
  const taken = (amount: number) => money(amount > 0 ? amount + enquiry.fee : 0, currency)
  const submit = form.onSubmit((values) => {
    confirm({
      title: t.payThisBill,
      text: t.isTakenFromTheWallet(
        taken(Number(values.amount)),
        packageName,
        customerName,
        customerId,
      ),
      verb: t.pay(taken(Number(values.amount))),
      go: () =>
        act.mutate(values, {
          onSuccess: ({ responseData }) => go(`utility/${responseData.reference}`),
        }),
    })
  })
  const sum = money(Number(form.values.amount) || 0, currency)
  return (
    <Card title={packageName}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {act.error && (
            <Alert color="red" title={t.nothingWasBought} role="alert">
              {act.error.message}
            </Alert>
          )}
          <Facts
            of={{
              [t.customer]: customerName,
              [NUMBERS[category] ?? t.number]: customerId,
              [t.biller]: enquiry.billerName,
              [t.fee]: enquiry.fee > 0 ? money(enquiry.fee, currency) : undefined,
              [t.inTheWallet]: available === undefined ? undefined : money(available, currency),
            }}
          />
          {enquiry.amountType === 'fixed' ? (
            <div>
              <Text c="dimmed" size="sm">
                {t.price}
              </Text>
              <Text className="figure">{sum}</Text>
              {form.errors.amount && <Text c="var(--bad)">{form.errors.amount}</Text>}
            </div>
          ) : (
            <MoneyInput
              label={t.amount}
              description={limitsOf(enquiry)}
              currency={currency}
              required
              autoFocus
              {...form.getInputProps('amount')}
            />
          )}
          <TextInput
            label={t.phoneNumber}
            description={t.whereTheBillerSendsIts}
            type="tel"
            {...form.getInputProps('phoneNumber')}
          />
          <TextInput label={t.eMailAddress} type="email" {...form.getInputProps('email')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onBack}>
              {t.back}
            </Button>
            <Button type="submit" loading={act.isPending}>
              {t.pay(taken(Number(form.values.amount) || 0))}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function wrongWith(amount: number, enquiry: Enquiry, available: number | undefined) {
  const { minimumAmount: least, maximumAmount: most, amountType, currency } = enquiry
  // Rounded, since 0.1 + 0.2 is a little more than 0.3. What is taken, the server alone reckons.
  if (available !== undefined && Number((amount + enquiry.fee).toFixed(2)) > available) {
    return t.theWalletHas(money(available, currency))
  }
  if (amountType === 'fixed') return null
  const isInside = amount > 0 && amount >= (least ?? 0) && amount <= (most ?? amount)
  return isInside ? null : limitsOf(enquiry)
}

const limitsOf = ({ minimumAmount: least, maximumAmount: most, currency }: Enquiry): string =>
  `From ${money(least ?? 0, currency)}${most === null ? ' on' : ` to ${money(most, currency)}`}.`
