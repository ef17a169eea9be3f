import { Table } from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { money, short } from '../../parts/values.tsx'
import type { Payment } from './types.ts'

/** Who gets what of it, as it was agreed when it was begun. */
export function Shares({ of: { split, currency } }: { of: Payment }) {
  return (
    <Card title="Shares">
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label="Shares">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Subaccount</Table.Th>
              <Table.Th ta="right">Share</Table.Th>
              <Table.Th ta="right">Fee</Table.Th>
              <Table.Th ta="right">Gets</Table.Th>
              <Table.Th ta="right">Gave back</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {split.map(({ subaccountCode, amount, fee, netAmount, refundedAmount }) => (
              <Table.Tr key={subaccountCode}>
                <Table.Td>
                  <ScreenLink to={`subaccounts/${subaccountCode}`}>
                    {short(subaccountCode)}
                  </ScreenLink>
                </Table.Td>
                <Table.Td ta="right">{money(amount, currency)}</Table.Td>
                <Table.Td ta="right">{money(fee, currency)}</Table.Td>
                <Table.Td ta="right">{money(netAmount, currency)}</Table.Td>
                <Table.Td ta="right">{money(refundedAmount, currency)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  )
}
