import { Alert, Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconUserCheck } from '@tabler/icons-react'
import type { Bank, ResolveBankAccountAnswer, TransferFee } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { Failure } from '../../parts/states.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/transfers.ts'
import type { Cost } from './fee.ts'
import type { Order } from './NewTransfer.tsx'

interface ReviewProps {
  of: Order
  holder: ResolveBankAccountAnswer | undefined
  currency: string
  available: number
  /** What the server takes of this amount. */
  cost: Cost
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
  cost: { fee, left, error, again },
  isSending,
  send,
  onBack,
}: ReviewProps) {
  const banks = useRead<Envelope<Bank[]>>('transaction-service/bank')
  const bank = banks.data?.data.find(({ code }) => code === bankCode)?.name ?? bankCode
  const sum = money(Number(amount), currency)
  const isShort = left !== undefined && left < 0
  return (
    <Card title={t.isThisRight}>
      <Stack>
        <div>
          <Text className="figure">{sum}</Text>
          <Text>
            {t.toWhom} {holder?.accountName ?? `account ${accountNumber}`}
          </Text>
        </div>
        <Facts
          of={{
            [t.accountHolder]: holder?.accountName ?? t.notKnown,
            [t.accountNumber]: accountNumber,
            [t.bank]: bank,
            [t.narration]: narration || undefined,
            [t.yourReference]: transferReference || undefined,
          }}
        />
        <Sums of={fee} available={available} left={left} currency={currency} />
        {error ? <Failure error={error} again={again} /> : null}
        {isShort && (
          <Alert color="red" title={t.thereIsNotEnoughIn} role="alert">
            {t.amountAndFeeAreAnd(money(fee?.total, currency), money(available, currency))}
          </Alert>
        )}
        {!holder && (
          <Alert color="yellow" title={t.theBankDidNotSay}>
            {t.theTransferMayWaitFor}
          </Alert>
        )}
        {fee?.needsApproval && (
          <Alert color="yellow" icon={<IconUserCheck />} title={t.aSecondPersonMustApprove}>
            {t.itIsAboveYourLimit}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onBack}>
            {t.back}
          </Button>
          <Button loading={isSending} disabled={!fee || isShort} onClick={send} data-autofocus>
            {t.send(sum)}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}

/** What leaves the wallet, and what stays: as the server says it, and as it is taken. */
function Sums({
  of,
  available,
  left,
  currency,
}: {
  of: TransferFee | undefined
  available: number
  left: number | undefined
  currency: string
}) {
  const rows: [string, number | undefined][] = [
    ['They get', of?.amount],
    ['Fee', of?.fee],
    ['Leaves the wallet', of?.total],
    ['In the wallet now', available],
    ['Stays in it', left],
  ]
  return (
    <Table aria-label={t.whatItCosts}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name} fw={name === 'Leaves the wallet' ? 600 : undefined}>
            <Table.Td className="breaks">{name}</Table.Td>
            <Table.Td ta="right" className="whole">
              {value === undefined ? (
                <Skeleton height={18} width={96} ml="auto" aria-label={t.loading} />
              ) : (
                money(value, currency)
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
