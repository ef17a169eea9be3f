import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import type { Bank, ResolveBankAccountAnswer } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { money } from '../../parts/values.tsx'
import type { Order } from './NewTransfer.tsx'

interface ReviewProps {
  of: Order
  holder: ResolveBankAccountAnswer | undefined
  currency: string
  available: number
  /** Above this amount somebody else approves it; null for never. */
  approvalAbove: number | null
  isSending: boolean
  send(): void
  onBack(): void
}

/** How much goes to whom, to be looked at before it does. */
export function Review({
  of: { amount, bankCode, accountNumber, narration, transferReference },
  holder,
  currency,
  available,
  approvalAbove,
  isSending,
  send,
  onBack,
}: ReviewProps) {
  const banks = useRead<Envelope<Bank[]>>('transaction-service/bank')
  const bank = banks.data?.data.find(({ code }) => code === bankCode)?.name ?? bankCode
  const sum = money(Number(amount), currency)
  return (
    <Card title="Is this right?">
      <Stack>
        <div>
          <Text className="figure">{sum}</Text>
          <Text>to {holder?.accountName ?? `account ${accountNumber}`}</Text>
        </div>
        <Facts
          of={{
            'Account holder': holder?.accountName ?? 'Not known to us',
            'Account number': accountNumber,
            Bank: bank,
            Narration: narration || undefined,
            'Your reference': transferReference || undefined,
            'Left in the wallet': `${money(available - Number(amount), currency)}, less the fee`,
          }}
        />
        {!holder && (
          <Alert color="yellow" title="The bank did not say whose account this is">
            The transfer may wait for approval, or fail and come back.
          </Alert>
        )}
        {approvalAbove !== null && Number(amount) > approvalAbove && (
          <Alert color="yellow" icon={<IconUserCheck />} title="A second person approves it">
            It is above {money(approvalAbove, currency)}. The money is kept aside, and goes when
            somebody else of your business approves the transfer.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button loading={isSending} onClick={send} data-autofocus>
            Send {sum}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}
