import { Stack, Table, Text } from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { SubaccountLink } from '../../parts/names.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/payments.ts'
import type { Payment } from './types.ts'

/** Who gets what of it, as it was agreed when it was begun. */
export function Shares({ of }: { of: Payment }) {
  const isPhone = useIsPhone()
  return <Card title={t.shares}>{isPhone ? <Listed of={of} /> : <Tabled of={of} />}</Card>
}

function Tabled({ of: { split, currency } }: { of: Payment }) {
  return (
    <div className="rows">
      <Table aria-label={t.shares}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.subaccount}</Table.Th>
            <Table.Th ta="right">{t.share}</Table.Th>
            <Table.Th ta="right">{t.fee}</Table.Th>
            <Table.Th ta="right">{t.gets}</Table.Th>
            <Table.Th ta="right">{t.gaveBack}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {split.map(({ subaccountCode, amount, fee, netAmount, refundedAmount }) => (
            <Table.Tr key={subaccountCode}>
              <Table.Td>
                <SubaccountLink code={subaccountCode} />
              </Table.Td>
              <Table.Td ta="right">{money(amount, currency)}</Table.Td>
              <Table.Td ta="right">{money(fee, currency)}</Table.Td>
              <Table.Td ta="right">{money(netAmount, currency)}</Table.Td>
              <Table.Td ta="right">{money(refundedAmount, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** Five columns have no room on a phone: what they get, and below it how it came about. */
function Listed({ of: { split, currency } }: { of: Payment }) {
  return split.map(({ subaccountCode, amount, fee, netAmount, refundedAmount }) => (
    <div key={subaccountCode} className="row-card">
      <div className="row-parts">
        <div className="row-words">
          <SubaccountLink code={subaccountCode} />
        </div>
        <Stack className="row-marks" gap={0} align="flex-end">
          <Text fw={600}>{money(netAmount, currency)}</Text>
          <Text size="sm" c="dimmed" ta="right">
            {t.sumWithFee(money(amount, currency), money(fee, currency))}
          </Text>
          {refundedAmount > 0 && (
            <Text size="sm" c="dimmed" ta="right">
              {t.givenBack(money(refundedAmount, currency))}
            </Text>
          )}
        </Stack>
      </div>
    </div>
  ))
}
