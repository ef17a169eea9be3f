import { Alert, Stack, Table, Text } from '@mantine/core'
import { useOperation } from '../../../api/hooks.ts'
import type { Proof } from '../../../api/operations.ts'
import { Fact, Facts } from '../../../ui/DetailPage.tsx'
import { minorMoney, money, When, WithNote } from '../../../ui/values.tsx'
import { SettingsPart } from './SettingForm.tsx'

/** What providers hold, beside what our books say and what the business owes. */
export function ProofOfFunds() {
  const { data } = useOperation('get_proof_of_funds')
  const proofs = data?.data ?? []
  if (proofs.length === 0) return null
  return (
    <SettingsPart
      id="proof-of-funds"
      title="Proof of funds"
      about="What the providers say that they hold for you, beside what our ledger says."
    >
      <Stack gap="lg">
        {proofs.map((proof) => (
          <InCurrency key={proof.currency} of={proof} />
        ))}
      </Stack>
    </SettingsPart>
  )
}

function InCurrency({
  of: { currency, held, bank, owed, short, isCovered, connections },
}: {
  of: Proof
}) {
  const sum = (minor: number | null) => minorMoney(minor, currency)
  return (
    <Stack gap="md">
      {isCovered ? (
        <Alert color="green">The money that is held covers everything in your wallet.</Alert>
      ) : (
        <Alert color="red" title={`${money(short, currency)} short`}>
          The providers hold less than your wallet, your subaccounts and your customers are owed.
        </Alert>
      )}
      <Facts>
        <Fact label="Held by providers" value={money(held, currency)} />
        <Fact
          label="Paid out to your bank"
          value={bank === 0 ? undefined : money(bank, currency)}
        />
        <Fact label="Owed from it" value={money(owed, currency)} />
      </Facts>
      {connections.length > 0 && (
        <Table aria-label={`Balances in ${currency}`} className="provider-calls">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Connection</Table.Th>
              <Table.Th ta="right">Provider</Table.Th>
              <Table.Th ta="right">Ledger</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {connections.map(({ connectionId, name, asOf, heldMinor, ledgerMinor }) => (
              <Table.Tr key={connectionId}>
                <Table.Td>
                  <WithNote note={asOf ? <When at={asOf} /> : 'Not reported yet'}>{name}</WithNote>
                </Table.Td>
                <Table.Td ta="right">{sum(heldMinor)}</Table.Td>
                <Table.Td ta="right">
                  <Text
                    span
                    inherit
                    className={
                      heldMinor !== null && heldMinor !== ledgerMinor ? 'provider-bad' : undefined
                    }
                  >
                    {sum(ledgerMinor)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}
