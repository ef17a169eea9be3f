import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { VerifyDiscountCodeAnswer } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/discounts.ts'

interface Values {
  code: string
  amount: number | string
  productId: string
  email: string
}

/** What a code would take off, and why not; nothing is used up by it. */
export function TryCode({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.tryIt}>
      {opened && <Body onClose={onClose} />}
    </Modal>
  )
}

function Body({ onClose }: { onClose(): void }) {
  const form = useForm<Values>({
    initialValues: { code: '', amount: '', productId: '', email: '' },
    validate: {
      code: (code) => (code.trim() ? null : t.codeWrong),
      amount: (amount) => (Number(amount) > 0 ? null : t.amountWrong),
    },
  })
  const ask = useAction<Envelope<VerifyDiscountCodeAnswer>, Values>({
    path: 'payment-service/products/verify-discount-code',
    send: ({ code, amount, productId, email }) => ({
      code: code.trim(),
      amount,
      ...(productId.trim() && { productId: productId.trim() }),
      ...(email.trim() && { email: email.trim() }),
    }),
    refresh: [],
    // The dialog says it.
    caught: () => true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
      <Stack>
        <Text size="sm">{t.tryText}</Text>
        <TextInput
          label={t.code}
          autoComplete="off"
          maxLength={32}
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <MoneyInput label={t.amount} required {...form.getInputProps('amount')} />
        <TextInput
          label={t.product}
          description={t.productHint}
          inputMode="numeric"
          {...form.getInputProps('productId')}
        />
        <TextInput
          label={t.email}
          description={t.emailHint}
          type="email"
          {...form.getInputProps('email')}
        />
        <div aria-live="polite">
          <Outcome of={ask.data?.data} refusal={ask.error?.message} />
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.done}
          </Button>
          <Button type="submit" loading={ask.isPending}>
            {t.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Outcome({
  of,
  refusal,
}: {
  of: VerifyDiscountCodeAnswer | undefined
  refusal: string | undefined
}) {
  if (refusal) {
    return (
      <Alert color="red" title={t.refused}>
        {refusal}
      </Alert>
    )
  }
  if (!of) return null
  return (
    <Alert color="green" title={t.good(money(of.discountAmount, of.currency))}>
      {t.left(money(of.finalAmount, of.currency))}
    </Alert>
  )
}
