import { Alert, Group, Stack, Text } from '@mantine/core'
import type { CreateUssdTransactionResponse } from '../../../../../sdk/src/operations.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'

import { Copyable, money, When } from '../../../ui/values.tsx'

/**
 * Shows the code that the payer has to dial. No other screen shows it, so it stays here until the
 * user continues.
 */
export function UssdCode({ of, onAgain }: { of: CreateUssdTransactionResponse; onAgain(): void }) {
  const others = of.ussdBanks.filter(({ ussdCode }) => ussdCode !== of.ussdCode)
  return (
    <Card title="Dial this code">
      <Stack>
        {of.ussdCode ? (
          <div>
            <Text className="figure" component="div">
              <Copyable text={of.ussdCode} />
            </Text>
            <Text>{of.instructions}</Text>
          </div>
        ) : (
          <Alert color="yellow">
            The bank has not responded yet. Ask for the code again in a moment.
          </Alert>
        )}
        <Facts>
          <Fact label="Amount" value={money(of.payable, of.currency)} />
          <Fact label="Expires" value={<When at={of.expiresAt} />} />
          <Fact label="Reference" copy={of.reference} />
        </Facts>
        {others.length > 0 && (
          <details>
            <summary>Codes for other banks</summary>
            <Facts>
              {others.map(({ bankCode, bankName, ussdCode }) => (
                <Fact label={bankName} key={bankCode} copy={ussdCode} />
              ))}
            </Facts>
          </details>
        )}
        <Group justify="flex-end">
          <ActionButton label="Take another payment" onClick={onAgain} />
          <ActionButton label="View payment" isMain to={`payments/${of.reference}`} />
        </Group>
      </Stack>
    </Card>
  )
}
