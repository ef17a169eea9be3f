import { Box, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { Checkout, CreateUssdTransactionAnswer } from '../../../../sdk/src/operations.ts'
import { type Envelope, useMe } from '../../api/hooks.ts'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { useSubmit } from '../../parts/submit.tsx'
import { money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo, useMode, useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/checkout.ts'
import { Dial } from './Dial.tsx'
import { LinkFields, UssdFields } from './Fields.tsx'
import { checksOf, EMPTY, toCheckout, toUssd, type Values, type Way } from './values.ts'

const NEW = { isPending: false, error: null, data: true, refetch: () => undefined }

type Answer = Partial<Envelope<Checkout | CreateUssdTransactionAnswer>>

/** Takes one payment by hand: by a link that the payer opens, or by a code to dial at once. */
export function NewPayment() {
  const [{ by }, change] = useSearchState()
  const may = useMay()
  const { data: me } = useMe()
  // Every payment would be refused: nothing is to be typed for that.
  const isClosed = useMode() === 'live' && me?.liveReady === false
  const way: Way = by === 'ussd' || !may('checkout:write') ? 'ussd' : 'link'
  const [code, setCode] = useState<CreateUssdTransactionAnswer>()
  return (
    <DetailPage back={{ to: 'payments', label: t.checkouts }} title={t.take} read={NEW}>
      <Box maw={620}>
        {isClosed ? (
          <Card>
            <Text>{t.cannotBeTakenYet}</Text>
          </Card>
        ) : code ? (
          <Dial of={code} onAgain={() => setCode(undefined)} />
        ) : (
          <Card>
            <Stack>
              {may('checkout:write') && (
                <SegmentedControl
                  aria-label={t.way}
                  fullWidth
                  data={[
                    { value: 'link', label: t.link },
                    { value: 'ussd', label: t.ussd },
                  ]}
                  value={way}
                  onChange={(wanted) =>
                    change({ by: wanted === 'ussd' ? wanted : undefined }, true)
                  }
                />
              )}
              <Form key={way} way={way} onCode={setCode} />
            </Stack>
          </Card>
        )}
      </Box>
    </DetailPage>
  )
}

const ACTIONS = {
  link: { path: 'payment-service/initialize-checkout', send: toCheckout },
  ussd: { path: 'transaction-service/transaction-with-ussd', send: toUssd },
}

function Form({ way, onCode }: { way: Way; onCode(code: CreateUssdTransactionAnswer): void }) {
  const go = useGo()
  const form = useForm<Values>({ initialValues: EMPTY, validate: checksOf(way) })
  const { submit, says, isPending } = useSubmit<Values, Answer>(form, ACTIONS[way], ({ data }) => {
    if (way === 'ussd') onCode(data as CreateUssdTransactionAnswer)
    else go(`checkouts/${data!.reference}`)
  })
  const sum = money(Number(form.values.amount) || 0)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          {way === 'link' ? t.linkText : t.ussdText}
        </Text>
        {says}
        <MoneyInput label={t.amount} required autoFocus {...form.getInputProps('amount')} />
        {way === 'link' ? <LinkFields form={form} /> : <UssdFields form={form} />}
        <Group justify="flex-end" className="form-actions">
          <Button type="submit" loading={isPending}>
            {way === 'link' ? t.makeLink(sum) : t.makeCode(sum)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
