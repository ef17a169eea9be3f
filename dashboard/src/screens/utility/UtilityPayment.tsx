import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { WithTimeline } from '../../parts/Timeline.tsx'
import { Copyable, money, Status, sentence, When } from '../../parts/values.tsx'
import { InLedger } from '../ledger/InLedger.tsx'
import { ofBill } from '../simulator/outcomes.ts'
import { type Bill, NUMBERS, type Paid } from './types.ts'

export function UtilityPayment() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Paid>(
    `payment-service/utility/transactions/${encodeURIComponent(reference)}`,
  )
  const bill = read.data?.responseData
  return (
    <DetailPage
      back={{ to: 'utility', label: 'Bills and airtime' }}
      title={bill && money(bill.amount, bill.currency)}
      status={<Status of={bill?.status} />}
      read={read}
      actions={
        bill?.status === 'Pending' && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={read.isFetching}
            onClick={() => void read.refetch()}
          >
            Check again
          </Button>
        )
      }
    >
      {bill && (
        <>
          <Notes of={bill} />
          <Simulated of={bill.reference} kind="utility" outcomes={ofBill(bill)} />
          <WithTimeline of={bill.timeline}>
            <Bought of={bill} />
            <BillFacts of={bill} />
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

/** What a reader should know before anything else. */
function Notes({ of: { status, failureReason } }: { of: Bill }) {
  if (status === 'Pending') {
    return (
      <Alert color="yellow" title="The biller has not answered yet">
        The money is set aside. We keep asking until the biller says what happened.
      </Alert>
    )
  }
  if (status !== 'Failed') return null
  return (
    <Alert color="red" title="Nothing was bought">
      {sentence(failureReason) ?? 'The biller did not say why.'} The money is in your wallet again.
    </Alert>
  )
}

/** What the customer was bought: a token to key in, or pins. */
function Bought({ of: { token, pins } }: { of: Bill }) {
  if (!token?.value && pins.length === 0) return null
  return (
    <Card title={token?.value ? 'Token' : pins.length === 1 ? 'Pin' : 'Pins'}>
      {token?.value && (
        <Stack gap={4}>
          <Text className="figure" component="div">
            <Copyable text={token.value} />
          </Text>
          {token.units !== undefined && <Text c="dimmed">{token.units} kWh</Text>}
        </Stack>
      )}
      <Stack gap="xs" align="flex-start">
        {pins.map((pin) => (
          <Copyable key={pin} text={pin} />
        ))}
      </Stack>
    </Card>
  )
}

function BillFacts({ of: bill }: { of: Bill }) {
  const { currency } = bill
  return (
    <Card title="Payment">
      <Facts
        of={{
          What: bill.packageName,
          Biller: bill.billerName,
          Customer: bill.customerName,
          [NUMBERS[bill.category] ?? 'Number']: <Copyable text={bill.customerId} />,
          Amount: money(bill.amount, currency),
          Fee: bill.fee > 0 ? money(bill.fee, currency) : undefined,
          'Taken from the wallet': bill.fee > 0 ? money(bill.total, currency) : undefined,
          Phone: bill.phoneNumber ?? undefined,
          'E-mail': bill.email ?? undefined,
          Reference: <Copyable text={bill.reference} />,
          'Your reference':
            bill.paymentReference === bill.reference ? undefined : (
              <Copyable text={bill.paymentReference} />
            ),
          'In the books': <InLedger reference={bill.reference} />,
          Created: <When at={bill.createdAt} />,
          Completed: bill.completedAt ? <When at={bill.completedAt} /> : undefined,
        }}
      />
    </Card>
  )
}
