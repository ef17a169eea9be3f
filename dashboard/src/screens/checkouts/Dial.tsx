import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { CreateUssdTransactionAnswer } from '../../../../sdk/src/operations.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, money, When } from '../../parts/values.tsx'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/checkout.ts'

/** The code that the payer dials; it is in no other place, so that it stays until one goes on. */
export function Dial({ of, onAgain }: { of: CreateUssdTransactionAnswer; onAgain(): void }) {
  const href = useHref()
  const others = of.ussdBanks.filter(({ ussdCode }) => ussdCode !== of.ussdCode)
  return (
    <Card title={t.dial}>
      <Stack>
        {of.ussdCode ? (
          <div>
            <Text className="figure" component="div">
              <Copyable text={of.ussdCode} />
            </Text>
            <Text>{of.instructions}</Text>
          </div>
        ) : (
          <Alert color="yellow">{t.noCode}</Alert>
        )}
        <Facts
          of={{
            [t.amount]: money(of.payable, of.currency),
            [t.until]: <When at={of.expiresAt} />,
            [t.facts.reference]: <Copyable text={of.reference} />,
          }}
        />
        {others.length > 0 && (
          <details>
            <summary>{t.dialAt}</summary>
            <Facts
              of={Object.fromEntries(
                others.map(({ bankCode, bankName, ussdCode }) => [
                  bankName,
                  <Copyable key={bankCode} text={ussdCode} />,
                ]),
              )}
            />
          </details>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onAgain}>
            {t.another}
          </Button>
          <Button component={Link} to={href(`payments/${of.reference}`)}>
            {t.seePayment}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}
